import { Dialog } from '../parts/dialog.tsx'
import { KeyHint } from '../parts/key-hint.tsx'

const groups: readonly {
  readonly title: string
  readonly keys: readonly (readonly [keys: string, what: string])[]
}[] = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Find or do anything'],
      ['Ctrl 1', 'Checks'],
      ['Ctrl 2', 'Chat'],
      ['Ctrl Z', 'Undo what was just done, for 10 seconds'],
      ['Ctrl Enter', 'Save a check, send a report'],
      ['Esc', 'One step back, then hide the window'],
      ['?', 'This help'],
    ],
  },
  {
    title: 'In a list',
    keys: [
      ['↑ ↓', 'Move, as do k and j'],
      ['Home End', 'First and last'],
      ['Enter', 'Open'],
      ['← →', 'Fold and unfold a group'],
    ],
  },
  {
    title: 'Checks',
    keys: [
      ['/', 'Filter: text, #tag, is:down, project:name, -word'],
      ['s', 'Snooze a check, a project or a tag'],
      ['a', 'Acknowledge what is down'],
      ['A', 'Acknowledge, and tell others by 👀 in the chat'],
      ['p', 'Pause or resume'],
      ['e', 'Edit'],
      ['d', 'Discuss in the chat'],
      ['1 … 9', 'When snoozing or muting: for how long'],
      ['t', 'Timeline of a check'],
      ['n', 'New check'],
    ],
  },
  {
    title: 'Chat',
    keys: [
      ['r', 'Reply'],
      ['s', 'Mute here for a while'],
      ['Enter', 'Send'],
      ['Shift Enter', 'New line'],
      ['↑ ↓ +', 'From message to message; give it a 👍'],
    ],
  },
]

/** All keys, in one place. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      {groups.map(({ title, keys }) => (
        <section key={title} class="key-group">
          <h3>{title}</h3>
          <dl>
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>
                  {key.split(' ').map((one) => (
                    <KeyHint key={one} keys={one} />
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
