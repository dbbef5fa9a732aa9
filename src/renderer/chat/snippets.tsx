import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import type { Place } from '#shared/contract.ts'
import type { AccountId } from '#shared/core/account.ts'
import { channelName, userName } from '#shared/core/chat/conversation.ts'
import { filledSnippet, lackOf, type Snippet, snippetFields } from '#shared/core/chat/later.ts'
import type { Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { dateWords } from '#shared/core/wording.ts'
import { holdsInput } from '../held-input.ts'
import { offerActions } from '../palette/palette-button.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, LongField, submits } from '../parts/field.tsx'
import { failedWords, run } from '../run.ts'
import { toast } from '../toast.ts'
import { appState } from '../window-state.ts'
import type { DraftText } from './draft-text.ts'

/** Snippets for the field of a conversation: chosen from a list, filled in, put where the cursor is. */
export function useSnippets(
  target: Place,
  draft: DraftText,
  input: RefObject<HTMLTextAreaElement | null>,
  onProblem: (words: string) => void,
) {
  const filling = useSignal<Snippet | null>(null)
  const saving = useSignal(false)
  const { accountId } = target
  const realm = () => appState.peek().realms.get(accountId)
  const insert = (text: string): void => {
    filling.value = null
    const { selectionStart: from = 0, selectionEnd: to = 0 } = input.current ?? {}
    const typed = draft.text.peek()
    draft.edit(typed.slice(0, from) + text + typed.slice(to))
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(from + text.length, from + text.length)
    })
  }
  const choose = (): void => {
    const now = realm()
    const lack = now === undefined ? '' : lackOf(now, 'snippets')
    const snippets = now?.later.snippets ?? []
    if (lack !== null || snippets.length === 0) {
      onProblem(lack ?? 'There is no saved snippet yet: write a text, then “Save as a snippet…”.')
      return
    }
    offerActions(
      snippets.map((snippet) => ({
        id: `snippet/${snippet.id}`,
        kind: 'here',
        title: snippet.title,
        hint: snippet.content.replace(/\s+/g, ' ').slice(0, 60),
        key: '',
        keywords: snippet.content.slice(0, 200),
        action: {
          does: 'here',
          act: () => {
            if (snippetFields(snippet.content).length === 0) insert(snippet.content)
            else filling.value = snippet
          },
        },
      })),
    )
  }
  const dialog = (
    <>
      {filling.value !== null && (
        <FillForm
          snippet={filling.value}
          target={target}
          onFilled={insert}
          onClose={() => {
            filling.value = null
          }}
        />
      )}
      {saving.value && (
        <SnippetForm
          accountId={accountId}
          snippet={{ id: null, title: '', content: draft.text.peek() }}
          onClose={() => {
            saving.value = false
          }}
        />
      )}
    </>
  )
  const save = (): void => {
    const now = realm()
    const lack = now === undefined ? '' : lackOf(now, 'snippets')
    if (lack === null) saving.value = true
    else onProblem(lack)
  }
  return { choose, save, dialog }
}

/** What is known without asking. */
function knownFields({ accountId, conversation }: Place): ReadonlyMap<string, string> {
  const realm = appState.peek().realms.get(accountId)
  if (realm === undefined) return new Map()
  const now = Date.now()
  const isTopic = conversation.kind === 'topic'
  return new Map([
    ['me', realm.me?.name ?? ''],
    ['date', dateWords(now, { day: 'numeric', month: 'long', year: 'numeric' })],
    ['time', dateWords(now, { hour: '2-digit', minute: '2-digit' })],
    ['channel', isTopic ? channelName(realm, conversation.channelId) : ''],
    ['topic', isTopic ? conversation.topic : ''],
    ['name', isTopic ? '' : conversation.userIds.map((id) => userName(realm, id)).join(', ')],
  ])
}

function FillForm(props: {
  readonly snippet: Snippet
  readonly target: Place
  readonly onFilled: (text: string) => void
  readonly onClose: () => void
}) {
  const { snippet, target, onFilled, onClose } = props
  const values = useSignal(knownFields(target))
  return (
    <Dialog title={`Fill in “${snippet.title}”`} onClose={onClose}>
      <form onSubmit={submits(() => onFilled(filledSnippet(snippet.content, values.value)))}>
        {snippetFields(snippet.content).map((name) => (
          <Field
            key={name}
            label={name}
            name={name}
            value={values.value.get(name) ?? ''}
            error={null}
            onInput={(typed) => {
              values.value = new Map(values.value).set(name, typed)
            }}
          />
        ))}
        <Button kind="primary" type="submit">
          Insert
        </Button>
      </form>
    </Dialog>
  )
}

type Draft = Omit<Snippet, 'id'> & { readonly id: number | null }

/** Typed and not saved, by snippet: no way out of the form loses it. */
const unsaved = new Map<string, Draft>()

holdsInput(() => unsaved.size > 0)

/** Makes a snippet, changes or deletes it. */
export function SnippetForm(props: {
  readonly accountId: AccountId
  readonly snippet: Draft
  readonly onClose: () => void
}) {
  const { accountId, snippet, onClose } = props
  const key = `${accountId}/${snippet.id}`
  const draft = useSignal(unsaved.get(key) ?? snippet)
  const error = useSignal<string | null>(null)
  const busy = useSignal(false)
  const { title, content } = draft.value
  const edit = (change: Partial<Draft>): void => {
    draft.value = { ...draft.peek(), ...change }
    unsaved.set(key, draft.peek())
  }
  const finish = async (answer: Promise<Result<unknown>>, words: string): Promise<void> => {
    if (busy.peek()) return
    busy.value = true
    const result = await answer
    busy.value = false
    if (result.ok) {
      unsaved.delete(key)
      onClose()
      toast(words)
    } else
      error.value = failedWords(
        result.failure,
        'It may have been saved: look at the list before you try again.',
        'Nothing was saved.',
      )
  }
  const save = (): void => {
    if (title.trim() === '' || content.trim() === '') {
      error.value = 'A snippet needs a title and a text.'
      return
    }
    const texts = { title: title.trim(), content }
    void finish(
      snippet.id === null
        ? run(accountId, 'createSavedSnippet', texts)
        : run(accountId, 'editSavedSnippet', { saved_snippet_id: snippet.id, ...texts }),
      `“${title.trim()}” is saved.`,
    )
  }
  const remove = async (id: number): Promise<void> => {
    const result = await run(accountId, 'deleteSavedSnippet', { saved_snippet_id: id })
    if (!result.ok) {
      error.value = failureSentence(result.failure)
      return
    }
    unsaved.delete(key)
    onClose()
    const { title: oldTitle, content: oldContent } = snippet
    toast(`“${oldTitle}” was deleted.`, 'done', {
      label: 'Undo',
      act: () =>
        void run(accountId, 'createSavedSnippet', { title: oldTitle, content: oldContent }),
    })
  }
  return (
    <Dialog title={snippet.id === null ? 'New snippet' : 'Saved snippet'} onClose={onClose}>
      <form onSubmit={submits(save)}>
        <Field
          label="Title"
          name="title"
          value={title}
          error={null}
          onInput={(typed) => edit({ title: typed })}
        />
        <LongField
          label="Text"
          name="content"
          rows={5}
          value={content}
          help="Words in braces, such as {customer}, are asked for when it is inserted; {name}, {channel}, {topic}, {date}, {time} and {me} are known."
          error={error.value}
          onInput={(typed) => edit({ content: typed })}
        />
        <div class="button-row">
          <Button kind="primary" type="submit" busy={busy.value}>
            Save
          </Button>
          {snippet.id !== null && (
            <Button kind="quiet" onClick={() => snippet.id !== null && void remove(snippet.id)}>
              Delete
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}
