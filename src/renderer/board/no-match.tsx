import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { filterText, unknownFilterWords } from './board-state.ts'

/** The filter lets nothing through: says so, and what it asked for that does not exist. */
export function NoMatch({ total }: { readonly total: number }) {
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
        }}
      >
        Clear the filter
      </Button>
    </EmptyState>
  )
}
