import type { ComponentChild } from 'preact'
import { describe, expect, test } from 'vitest'
import { elementLike } from '../support/hostile-json.ts'
import { mount } from './mount.ts'

/** As a field that main let through would arrive: by JSON, then cloned into the window. */
function arrived(json: string): ComponentChild {
  // The lie that this is about: the type says text.
  return structuredClone(JSON.parse(json)) as ComponentChild
}

describe('a field that is no text', () => {
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

  test('would be seen as an element, were it one', () => {
    const box = mount(<p>{<img alt="" />}</p>)
    expect(box.element().querySelectorAll('p > *')).toHaveLength(1)
  })
})
