import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Result } from '#shared/core/failure.ts'
import { Button } from '../../../src/renderer/parts/button.tsx'
import { Field, FormError, LongField } from '../../../src/renderer/parts/field.tsx'
import { draftField, useForm } from '../../../src/renderer/parts/form.ts'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { go, place } from '../../../src/renderer/window-state.ts'
import { mount } from '../mount.ts'

const name = () => page.getByRole('textbox', { name: 'Name' })
const text = () => page.getByRole('textbox', { name: 'Text' })
const save = () => page.getByRole('button', { name: 'Save' })
const offline = {
  ok: false,
  failure: { kind: 'network', reason: 'offline', host: 'hc.example.org', reached: 'no' },
} as const

/** A form of two fields, on the check list only. */
function open(send: (draft: { name: string; text: string }) => Promise<Result<unknown>>) {
  function Note() {
    const form = useForm({
      title: 'New note',
      key: 'note',
      start: { name: '', text: '' },
      check: (draft) => ({
        ...(draft.name === '' ? { name: 'Name it.' } : {}),
        ...(draft.text === '' ? { text: 'Write something.' } : {}),
      }),
      send,
    })
    return (
      <form {...form.attributes}>
        <Field label="Name" {...draftField(form, 'name')} />
        <LongField label="Text" rows={2} {...draftField(form, 'text')} />
        <FormError error={form.errors.form} />
        <Button type="submit" busy={form.busy}>
          Save
        </Button>
      </form>
    )
  }
  const Here = () => (place.value.view === 'checks' ? <Note /> : null)
  go({ view: 'checks' })
  onTestFinished(() => {
    dismissToast()
    go({ view: 'checks' })
  })
  mount(<Here />)
}

test('says what is wrong at each field, focuses the first, and takes it back once it changes', async () => {
  const sent: unknown[] = []
  open(async (draft) => {
    sent.push(draft)
    return { ok: true, value: null }
  })
  await save().click()
  await expect.element(name()).toHaveAccessibleDescription('Name it.')
  await expect.element(text()).toHaveAccessibleDescription('Write something.')
  await expect.element(name()).toHaveFocus()
  await name().fill('db')
  await expect.element(name()).not.toHaveAccessibleDescription()
  await expect.element(text()).toHaveAccessibleDescription('Write something.')
  expect(sent).toEqual([])
})

test('is sent by Ctrl+Enter, and a failure keeps what was typed until it is changed', async () => {
  open(async () => offline)
  await name().fill('db')
  await text().fill('first\nsecond')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.element(page.getByRole('alert')).toMatchTextContent(/offline/)
  await expect.element(text()).toHaveValue('first\nsecond')
  await text().fill('other')
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})

test('is sent once, also if it is left and opened again, and says why it failed elsewhere', async () => {
  const { promise, resolve } = Promise.withResolvers<Result<unknown>>()
  let times = 0
  open(() => {
    times += 1
    return promise
  })
  const sendIt = async () => {
    await name().fill('db')
    await text().fill('a')
    await userEvent.keyboard('{Control>}{Enter}{Enter}{/Control}')
  }
  await sendIt()
  go({ view: 'settings' })
  await expect.element(save()).not.toBeInTheDocument()
  go({ view: 'checks' })
  await expect.element(save()).toHaveAttribute('aria-busy', 'true')
  await sendIt()
  go({ view: 'settings' })
  await expect.element(save()).not.toBeInTheDocument()
  resolve(offline)
  await expect.poll(() => shownToast.value?.text).toMatch(/^New note: .*offline/)
  expect(times).toBe(1)
})
