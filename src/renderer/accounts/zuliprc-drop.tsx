import { useId, useState } from 'preact/hooks'

interface Props {
  readonly problems: readonly string[]
  readonly onText: (text: string) => void
}

/** Anything longer is no zuliprc file. */
const mostBytes = 16_384

/** Takes a zuliprc file: dropped here, chosen, or pasted into any field below. */
export function ZuliprcDrop({ problems, onText }: Props) {
  const id = useId()
  const [over, setOver] = useState(false)
  const read = (file: File | undefined) => {
    if (file === undefined) return
    void file.slice(0, mostBytes).text().then(onText)
  }
  return (
    <div class="field">
      <label
        for={id}
        class={`drop ${over ? 'drop-over' : ''}`}
        onDragOver={(drag) => {
          drag.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(drop) => {
          drop.preventDefault()
          setOver(false)
          read(drop.dataTransfer?.files[0])
        }}
      >
        <span>
          Drop a <b>zuliprc</b> file here, or choose one
        </span>
        <input
          id={id}
          type="file"
          aria-describedby={problems.length > 0 ? `${id}-error` : undefined}
          aria-invalid={problems.length > 0}
          onChange={(change) => read(change.currentTarget.files?.[0])}
        />
      </label>
      {problems.length > 0 && (
        <div id={`${id}-error`} class="field-error" role="alert">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
    </div>
  )
}
