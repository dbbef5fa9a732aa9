import '../../src/renderer/styles.css'
import '../../src/renderer/attention/quiet.css'
import type { Check, CheckStatus } from '#shared/core/checks/check.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { lastPingWords, rowTitle, rowWords } from '../../src/renderer/board/row-words.ts'
import { drive } from './drive.ts'
import { headHeight, isTrouble, ordered, rowHeight, troubleHeight } from './row-order.ts'

/**
 * The bound: no framework, no state, no components. As many elements as fit the window and some
 * beyond its edges, refilled when another row comes into view. A row shows what a row of the app
 * shows, in the app's styles; there are no groups, filters, keys or actions.
 */
const overscan = 14

interface Slot {
  readonly element: HTMLElement
  readonly line: HTMLElement
  readonly shape: SVGElement
  readonly texts: Readonly<Record<'name' | 'tags' | 'status' | 'facts' | 'last' | 'schedule', Text>>
  index: number
}

let rows: readonly Check[] = []
let troubles = 0
let order: (checks: readonly Check[]) => readonly Check[] = (checks) => checks
const slots: Slot[] = []
let list: HTMLElement = document.createElement('div')
let body: HTMLElement = document.createElement('div')

drive<readonly Check[]>({
  message: (checks) => checks,
  mount(root, checks) {
    root.innerHTML = `<div class="board"><div class="filter-bar"><div class="filter-box"></div></div>
<div class="virtual-list" role="tree" tabindex="0"><div class="virtual-rows">
<div class="group-head" style="height:${headHeight}px">ops-project</div></div></div></div>`
    list = root.querySelector<HTMLElement>('.virtual-list') ?? list
    body = root.querySelector<HTMLElement>('.virtual-rows') ?? body
    order = ordered(checks)
    take(checks)
    const count = Math.ceil(list.clientHeight / rowHeight) + 1 + 2 * overscan
    for (let n = 0; n < count; n += 1) slots.push(newSlot())
    fill()
    list.addEventListener('scroll', fill, { passive: true })
  },
  apply(checks) {
    take(checks)
    for (const slot of slots) slot.index = -1
    fill()
  },
})

function take(checks: readonly Check[]): void {
  rows = order(checks)
  // The worst come first.
  troubles = rows.findIndex((check) => !isTrouble(check))
  if (troubles < 0) troubles = rows.length
  body.style.height = `${topOf(rows.length)}px`
}

function topOf(index: number): number {
  const tall = Math.min(index, troubles)
  return headHeight + tall * troubleHeight + (index - tall) * rowHeight
}

function indexAt(y: number): number {
  const tall = Math.floor((y - headHeight) / troubleHeight)
  if (tall < troubles) return Math.max(0, tall)
  return troubles + Math.floor((y - headHeight - troubles * troubleHeight) / rowHeight)
}

function fill(): void {
  const from = Math.max(0, indexAt(list.scrollTop) - overscan)
  const to = Math.min(rows.length, indexAt(list.scrollTop + list.clientHeight) + 1 + overscan)
  for (let index = from; index < to; index += 1) {
    const slot = slots[index % slots.length]
    const check = rows[index]
    if (slot !== undefined && check !== undefined && slot.index !== index) show(slot, check, index)
  }
}

function show(slot: Slot, check: Check, index: number): void {
  const { element, line, shape, texts } = slot
  const trouble = isTrouble(check)
  const now = Date.now()
  slot.index = index
  element.style.cssText = `top:${topOf(index)}px;height:${trouble ? troubleHeight : rowHeight}px`
  line.className = `check-line ${trouble ? 'check-line-trouble ' : ''}is-${check.status}`
  line.title = rowTitle({ accountId: '', check }, check.name, now)
  shape.setAttribute('class', `shape shape-${check.status}`)
  shape.innerHTML = drawings[check.status]
  const tags = check.tags.map((tag) => `#${tag}`).join(' ')
  texts.name.data = check.name
  texts.tags.data = trouble ? '' : tags
  texts.facts.data = trouble ? tags : ''
  texts.status.data = rowWords({ accountId: '', check, stale: false }, now)
  texts.last.data = lastPingWords(check, now)
  texts.schedule.data = scheduleWords(check.schedule)
}

const template = document.createElement('template')
template.innerHTML = `<div class="virtual-row"><div class="board-row" role="treeitem">
<div class="check-line"><svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor"
stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"></svg>
<div class="check-main"><span class="check-name" dir="auto"> </span><span class="check-tags"> </span></div>
<span class="check-status"> </span><span class="check-facts"><span class="check-tags"> </span>
<span class="check-last"> </span><span class="check-schedule"> </span></span></div></div></div>`

function newSlot(): Slot {
  const element = part(template.content, '.virtual-row').cloneNode(true) as HTMLElement
  // Hidden until it has a row.
  element.style.display = 'none'
  body.append(element)
  const shape = element.querySelector('svg')
  if (shape === null) throw new Error('no shape')
  const text = (selector: string) => part(element, selector).firstChild as Text
  const texts = {
    name: text('.check-name'),
    tags: text('.check-main .check-tags'),
    status: text('.check-status'),
    facts: text('.check-facts .check-tags'),
    last: text('.check-last'),
    schedule: text('.check-schedule'),
  }
  return { element, line: part(element, '.check-line'), shape, texts, index: -1 }
}

function part(of: ParentNode, selector: string): HTMLElement {
  const found = of.querySelector<HTMLElement>(selector)
  if (found === null) throw new Error(`no ${selector}`)
  return found
}

const drawings: Readonly<Record<CheckStatus, string>> = {
  up: '<path d="M2.8 8.6 6.3 12 13.2 4.4"/>',
  grace: '<circle cx="8" cy="8" r="6"/><path d="M8 4.4V8h3.4"/>',
  down: '<path d="M8 2.6 14.2 13.4H1.8Z" fill="currentColor"/>',
  paused: '<path d="M5.3 3.4v9.2M10.7 3.4v9.2"/>',
  new: '<circle cx="8" cy="8" r="5.6"/>',
  unknown: '<circle cx="8" cy="13.3" r="1.1" fill="currentColor"/>',
}
