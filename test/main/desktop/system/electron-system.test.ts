import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { projectRoot } from '../../../../scripts/programs.mjs'
import { appId } from '../../../../src/main/desktop/system/computer.ts'
import {
  autostartEntry,
  renewLoginEntry,
  setStartsAtLogin,
  startsAtLogin,
} from '../../../../src/main/desktop/system/electron-system.ts'

vi.mock('electron', () => ({ app: { isPackaged: true } }))

const execOf = (...command: readonly string[]): string | undefined =>
  autostartEntry(command)
    .split('\n')
    .find((line) => line.startsWith('Exec='))

test('the app calls itself what the packages call its menu entry', () => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(projectRoot, file), 'utf8'))
  expect(existsSync(join(projectRoot, 'packaging', `${appId}.desktop`))).toBe(true)
  expect(read('package.json')).toMatchObject({ desktopName: `${appId}.desktop` })
  expect(read('electron-builder.json')).toMatchObject({ appId, linux: { syncDesktopName: true } })
})

test('the autostart entry starts the app hidden, whatever its path is', () => {
  expect(execOf('/usr/lib/belfry/belfry', '--hidden')).toBe(
    'Exec="/usr/lib/belfry/belfry" "--hidden"',
  )
  // Escaped once for Exec's quotes, and again as a value of the file.
  expect(execOf('/home/ana/50% off/"b$`\\')).toBe(
    'Exec="/home/ana/50%% off/\\\\"b\\\\$\\\\`\\\\\\\\"',
  )
  expect(autostartEntry(['/opt/a\\b']).split('\n')).toContain('TryExec=/opt/a\\\\b')
  expect(
    autostartEntry(['/opt/x\nExec=evil'])
      .split('\n')
      .filter((line) => line.startsWith('Exec=')),
  ).toHaveLength(1)
})

describe.runIf(process.platform === 'linux')('the autostart entry', () => {
  let config = ''
  beforeEach(() => {
    config = mkdtempSync(join(tmpdir(), 'belfry-config-'))
    vi.stubEnv('XDG_CONFIG_HOME', config)
    vi.stubEnv('APPIMAGE', undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
    rmSync(config, { recursive: true })
  })
  const file = () => join(config, 'autostart', 'org.belfry.Belfry.desktop')
  const entry = () => readFileSync(file(), 'utf8')
  const ours = `TryExec=${process.execPath}\n`

  test('contains the data folder that Belfry was started with', async () => {
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['belfry', '--user-data=/home/ana/on call'])
    await setStartsAtLogin(true)
    expect(await startsAtLogin()).toBe(true)
    expect(entry()).toContain(
      `Exec="${process.execPath}" "--user-data=/home/ana/on call" "--hidden"\n`,
    )
  })

  test('is updated to the running program if its own is gone, and otherwise left alone', async () => {
    await renewLoginEntry()
    expect(await startsAtLogin()).toBe(false)
    await setStartsAtLogin(true)
    const renewed = async (text: string): Promise<string> => {
      writeFileSync(file(), text)
      await renewLoginEntry()
      return entry()
    }
    expect(await renewed(autostartEntry(['/gone/belfry-1.0.AppImage', '--hidden']))).toContain(ours)
    const off = `${autostartEntry(['/gone/belfry'])}Hidden=true\n`
    expect(await renewed(off)).toBe(off)
    const own = `${autostartEntry(['/bin/sh', '--hidden'])}X-GNOME-Autostart-Delay=5\n`
    expect(await renewed(own)).toBe(own)
  })
})
