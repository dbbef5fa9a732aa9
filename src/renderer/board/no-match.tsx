import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { filterText, unknownFilterWords } from './board-state.ts'

interface Props {
  readonly total: number
  /** The filter is empty again, and the list comes back. */
  readonly onClear: () => void
}

/** The filter lets nothing through: says so, and what it asked for that does not exist. */
export function NoMatch({ total, onClear }: Props) {
  const unknown = unknownFilterWords.value
  return (
    <EmptyState
      title={total === 1 ? 'The one check does not match' : `None of ${total} checks match`}
    >
      {unknown.length > 0 && (
        <p>
          There is no status “{unknown.join('”, “')}”. It is one of down, late, up, new, paused,
          running.
        </p>
      )}
      <Button
        onClick={() => {
          filterText.value = ''
          onClear()
        }}
      >
        Clear the filter
      </Button>
    </EmptyState>
  )
}
