import { signal } from '@preact/signals'
import { render } from 'preact'

const count = signal(0)

/** The smallest possible page of Preact and signals: the bound for the size of the app's page. */
function Hello() {
  return (
    <button type="button" onClick={() => count.value++}>
      Hello {count}
    </button>
  )
}

const root = document.getElementById('app')
if (root !== null) render(<Hello />, root)
