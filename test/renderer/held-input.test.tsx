import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { holdsInput, isInputHeld } from '../../src/renderer/held-input.ts'
import * as eg from '../support/eg.ts'
import { mount, withState } from './mount.ts'

beforeEach(() => {
  withState(eg.state())
})

describe('a window', () => {
  test('holds no input if nothing was typed', () => {
    mount(
      <form>
        <input value="" />
        <input type="checkbox" checked value="on" />
        <button type="button">Save</button>
      </form>,
    )
    expect(isInputHeld()).toBe(false)
  })

  test('holds text in a field, until main has it as a draft', () => {
    mount(<textarea>half a thought</textarea>)
    expect(isInputHeld()).toBe(true)
    withState({ ...eg.state(), drafts: new Map([['some/place', 'half a thought']]) })
    expect(isInputHeld()).toBe(false)
    withState({ ...eg.state(), drafts: new Map([['some/place', 'half a']]) })
    expect(isInputHeld()).toBe(true)
  })

  test('holds a key that is being typed', () => {
    mount(<input type="password" value="hcw_" />)
    expect(isInputHeld()).toBe(true)
  })

  test('holds what an open dialog is about', () => {
    mount(<dialog open>Delete it?</dialog>)
    expect(isInputHeld()).toBe(true)
  })

  test('holds forms that were left unsaved', () => {
    let holds = true
    holdsInput(() => holds)
    onTestFinished(() => {
      holds = false
    })
    mount(<p>elsewhere</p>)
    expect(isInputHeld()).toBe(true)
    holds = false
    expect(isInputHeld()).toBe(false)
  })
})
