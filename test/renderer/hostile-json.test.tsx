import type { ComponentChild } from 'preact'
import { describe, expect, test } from 'vitest'
import { elementLike } from '../support/hostile-json.ts'
import { mount } from './mount.ts'

/** How a field that main let through would arrive: as JSON, then cloned into the window. */
function arrived(json: string): ComponentChild {
  // The type is a deliberate lie: the code expects text.
  return structuredClone(JSON.parse(json)) as ComponentChild
}

describe('a field that isn’t text', () => {
  test.each([
    elementLike,
    '{"type":"img","props":{"src":"x"},"key":null,"ref":null,"constructor":null}',
    '{"type":"img","props":{"src":"x"},"__proto__":{"constructor":null}}',
    '[{"type":"img","props":{"src":"x"}}]',
  ])('is drawn as nothing, not as the element that it spells: %s', (json) => {
    const box = mount(<p>{arrived(json)}</p>)
    expect(box.element().querySelectorAll('p > *')).toHaveLength(0)
    expect(box.element().querySelector('p')?.textContent).toBe('')
  })

  test('would be drawn as an element if it were one', () => {
    const box = mount(<p>{<img alt="" />}</p>)
    expect(box.element().querySelectorAll('p > *')).toHaveLength(1)
  })
})
