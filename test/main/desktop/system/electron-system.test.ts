import { expect, test, vi } from 'vitest'
import { autostartEntry } from '../../../../src/main/desktop/system/electron-system.ts'

vi.mock(import('electron'), () => ({}))

const execOf = (...command: readonly string[]): string | undefined =>
  autostartEntry(command)
    .split('\n')
    .find((line) => line.startsWith('Exec='))

test('the autostart entry starts the program hidden, whatever its path is called', () => {
  expect(execOf('/usr/lib/belfry/belfry', '--hidden')).toBe(
    'Exec="/usr/lib/belfry/belfry" "--hidden"',
  )
  // Once for the quotes of Exec, and once more for a value of the file.
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
