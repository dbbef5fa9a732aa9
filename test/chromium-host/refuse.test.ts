import { describe, expect, test } from 'vitest'
import { notStoodIn, standIn, standInObject } from './refuse.ts'

class Lamp extends standIn('Lamp') {
  #lit = false
  static count = 1

  light(): boolean {
    this.#lit = true
    this.emit('lit')
    return this.#lit
  }
}

/** Like the app's calls, which are compiled against Electron's own types. */
const call = (target: unknown, name: string): unknown => Reflect.get(target as object, name)

describe('a class of the stand-in', () => {
  test('works as written, including events and private fields', () => {
    const lamp = new Lamp()
    let heard = 0
    lamp.on('lit', () => {
      heard += 1
    })
    expect([lamp.light(), heard, Lamp.count]).toEqual([true, 1, 1])
  })

  test('throws with the name of a call it lacks', () => {
    expect(() => call(new Lamp(), 'dim')).toThrow('chromium host: Lamp.dim is not stood in for')
    expect(() => call(Lamp, 'getAll')).toThrow('chromium host: Lamp.getAll is not stood in for')
  })

  test('can still be awaited and printed', async () => {
    const lamp = new Lamp()
    await expect(Promise.resolve(lamp)).resolves.toBe(lamp)
    expect(JSON.stringify({ lamp })).toContain('lamp')
  })
})

describe('a part of the stand-in', () => {
  test('throws with the name of a call it lacks', () => {
    const shell = standInObject('shell', { beep: () => 'beep' })
    expect(shell.beep()).toBe('beep')
    expect(() => call(shell, 'trashItem')).toThrow('shell.trashItem is not stood in for')
  })

  test('for other systems only throws however it is used', () => {
    const Notification = notStoodIn('Notification') as new () => object
    expect(() => new Notification()).toThrow('chromium host: Notification is not stood in for')
    expect(() => call(Notification, 'isSupported')).toThrow('Notification is not stood in for')
  })
})
