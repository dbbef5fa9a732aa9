import type { Commands } from '../../shared/contract.ts'
import { type EventKind, eventKinds } from '../../shared/core/attention/event.ts'
import { type Notice, type OwnSound, ownNotice } from '../../shared/core/attention/notice.ts'
import { kindLabels } from '../../shared/core/attention/rules.ts'
import type { Clock, Desktop } from '../base/ports.ts'
import { type LiveState, maxNotices } from '../state/store.ts'
import type { FileLook } from './file-look.ts'
import { canReadSound, demandSound } from './sound-file.ts'

interface Chosen extends OwnSound {
  readonly path: string
}

/** Files as sounds of notifications, in place of the system's. */
export function createSounds({
  live,
  desktop,
  clock,
  look,
}: {
  readonly live: LiveState
  readonly desktop: Pick<Desktop, 'chooseFile' | 'notifiedBy'>
  readonly clock: Pick<Clock, 'now'>
  readonly look: FileLook
}) {
  /** Null: the system's. */
  const set = (kind: EventKind, chosen: Chosen | null): void =>
    live.rebase((kept) => {
      const ownSounds = new Map(kept.state.ownSounds)
      const soundPaths = new Map(kept.soundPaths)
      if (chosen === null) {
        ownSounds.delete(kind)
        soundPaths.delete(kind)
      } else {
        ownSounds.set(kind, { name: chosen.name, isGone: chosen.isGone })
        soundPaths.set(kind, chosen.path)
      }
      return { ...kept, state: { ...kept.state, ownSounds }, soundPaths }
    })

  return {
    commands: {
      async chooseSound({ kind }) {
        const file = await desktop.chooseFile()
        if (file === null) return
        await demandSound(file, look)
        set(kind, { name: file.name, path: file.path, isGone: false })
      },

      async useSystemSound({ kind }) {
        set(kind, null)
      },

      async playsOwnSounds() {
        return (await desktop.notifiedBy()).capabilities.includes('sound')
      },
    } satisfies Partial<Commands>,

    /** The file to play with a notice; null: the system's sound. */
    soundFile: async (notice: Notice): Promise<string | null> => {
      // Digests and reminders are no events.
      const kind = eventKinds.find((one) => one === notice.kind)
      const path = kind && live.soundPath(kind)
      if (kind === undefined || path === undefined) return null
      const isGone = !(await canReadSound(path, look))
      const sound = live.get().ownSounds.get(kind)
      // Another may have been chosen meanwhile.
      if (sound !== undefined && sound.isGone !== isGone && live.soundPath(kind) === path) {
        set(kind, { ...sound, path, isGone })
        if (isGone) list(goneNotice(kind, sound.name, clock.now()))
      }
      return isGone ? null : path
    },
  }

  /** It pops up nowhere: what made the sound does. */
  function list(notice: Notice): void {
    live.update((state) => ({ ...state, notices: [notice, ...state.notices].slice(0, maxNotices) }))
  }
}

function goneNotice(kind: EventKind, name: string, now: number): Notice {
  const words = {
    subject: `sound/${kind}`,
    title: `The sound ${name} can’t be read`,
    body: `“${kindLabels[kind]}” has the system’s sound until it is back, or you choose another under Settings → Notifications.`,
    target: { view: 'settings' },
  } as const
  return { ...ownNotice(words, now), kind: 'trouble', outcome: 'tray' }
}
