import { render } from 'preact'
import '../../src/renderer/styles.css'
import { paletteResults } from '#shared/core/views/palette-search.ts'
import { Palette } from '../../src/renderer/palette/palette.tsx'
import { paletteSource } from '../../src/renderer/palette/palette-state.ts'
import { openPalette } from '../../src/renderer/palette-shown.ts'
import { appState, followState } from '../../src/renderer/window-state.ts'
import { checksOf } from './rows.ts'
import { timed, typeInto } from './timed.ts'
import { patchFor, pretendBridge } from './window-state.ts'

/** What the bench can ask of the palette's page. */
export interface PaletteDriven {
  /** Ms until the palette is open over this many checks. */
  open(count: number): Promise<number>
  /** Ms for each letter of the word: the app's search, and one pass of `includes` over the labels. */
  search(word: string): { readonly search: readonly number[]; readonly bound: readonly number[] }
  /**
   * How many labels contain the word, and how many of those the search shows ahead of all others.
   */
  found(word: string): { readonly holding: number; readonly leading: number }
  /** Ms from each keystroke to the layout of its results. */
  type(word: string): Promise<readonly number[]>
  rows(): readonly string[]
}

declare global {
  interface Window {
    palette: PaletteDriven
  }
}

const push = pretendBridge()
followState()

window.palette = {
  open(count) {
    push(patchFor(checksOf(count), null, Date.now()))
    const root = document.getElementById('app')
    if (root === null) throw new Error('no root')
    render(<Palette onHelp={() => undefined} />, root)
    return timed(openPalette)
  },
  search(word) {
    const index = paletteSource(appState.value)
    const labels = index.titles
    const search: number[] = []
    const bound: number[] = []
    for (const letters of prefixes(word)) {
      search.push(taken(() => paletteResults(index, letters, []).length))
      bound.push(taken(() => labels.filter((label) => label.includes(letters)).length))
    }
    return { search, bound }
  },
  found(word) {
    const index = paletteSource(appState.value)
    const results = paletteResults(index, word, [])
    const holds = (title: string) => title.toLowerCase().includes(word)
    const others = results.findIndex(({ title }) => !holds(title))
    return {
      holding: index.titles.filter(holds).length,
      leading: others < 0 ? results.length : others,
    }
  },
  type: (word) => typeInto('.palette-line input', word),
  rows: () => [...document.querySelectorAll('.palette-title')].map((row) => row.textContent),
}

function prefixes(word: string): readonly string[] {
  return Array.from({ length: word.length }, (_, n) => word.slice(0, n + 1))
}

const times = 20

/** Ms of one run, averaged, since the clock of a page ticks in tenths of a millisecond. */
function taken(act: () => number): number {
  act()
  const began = performance.now()
  for (let n = 0; n < times; n += 1) act()
  return (performance.now() - began) / times
}
