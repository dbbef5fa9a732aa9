import { isAbsolute } from 'node:path'

/** What the command line may ask. */
export interface Arguments {
  /** Runs on the pretend servers; nothing is read from or written to disk. */
  readonly demo: boolean
  /** Starts in the tray, without a window: for a start at login. */
  readonly hidden: boolean
  /** Another folder for everything that is kept, or null for the usual one. */
  readonly userData: string | null
}

/** Reads what we know and ignores everything else: a link or a file handed to us means nothing. */
export function readArguments(argv: readonly string[]): Arguments {
  const folder = argv.find((one) => one.startsWith('--user-data='))?.slice('--user-data='.length)
  return {
    demo: argv.includes('--demo'),
    hidden: argv.includes('--hidden'),
    userData: folder !== undefined && isAbsolute(folder) ? folder : null,
  }
}
