import { signal } from '@preact/signals'
import { render } from 'preact'

const count = signal(0)

/** The least that a page of Preact and signals is: the bound of how large the app's page may be. */
function Hello() {
  return (
    <button type="button" onClick={() => count.value++}>
      Hello {count}
    </button>
  )
}

const root = document.getElementById('app')
if (root !== null) render(<Hello />, root)
