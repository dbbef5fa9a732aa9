import { expect, onTestFinished, test } from 'vitest'
import { page } from 'vitest/browser'
import { anyRule, defaultAttention, type Rule } from '#shared/core/attention/rules.ts'
import { defaultSettings } from '#shared/core/settings.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import { dropDraft } from '../../../src/renderer/attention/attention-draft.ts'
import { AttentionView } from '../../../src/renderer/attention/attention-view.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const programs: AppState['programs'] = new Map([
  ['lamp', { name: 'lamp.sh', last: { at: eg.now, failure: 'exit 3' } }],
  ['ticket', { name: 'ticket.sh', last: { at: eg.now, failure: null } }],
  ['mqtt', { name: 'mqtt.sh', last: null }],
])

function show(rule: Partial<Rule>, answers: Answers = {}, change: Partial<AppState> = {}) {
  const rules = [{ ...anyRule, id: 'r', ...rule }]
  const attention = { ...defaultAttention, rules }
  withState(eg.state({ settings: { ...defaultSettings, attention }, programs, ...change }))
  onTestFinished(dismissToast)
  onTestFinished(dropDraft)
  const bridge = withBridge(answers)
  mount(<AttentionView />)
  return bridge
}

const button = (name: string) => page.getByRole('button', { name })
const field = () => page.getByRole('combobox', { name: 'Run my program' })
const of = (name: string) => page.getByRole('group', { name: `Program: ${name}` })

test('a rule runs a program that was chosen, which the window knows by name and id only', async () => {
  const bridge = show({ kinds: ['down'] }, { chooseProgram: () => ({ id: 'ticket' }) })
  await button('Edit rule 1').click()
  await expect.element(field()).toHaveValue('')
  await field().selectOptions('lamp.sh')
  await expect.element(page.getByText(/run lamp\.sh/)).toBeVisible()
  await button('Choose a program…').click()
  await expect.element(field()).toHaveValue('ticket')
  await button('Save').click()
  const sent = bridge.inputsOf('updateSettings') as { attention: typeof defaultAttention }[]
  expect(sent[0]?.attention.rules[0]?.programId).toBe('ticket')
})

test('a rule says when it will not run its program, and that a program is gone', async () => {
  show({ way: 'tray', programId: 'lost' })
  await expect.element(page.getByText(/run a program that is gone/)).toBeVisible()
  await button('Edit rule 1').click()
  await expect
    .element(page.getByText(/with a notification, and this rule shows none/))
    .toBeVisible()
  await expect.element(field()).toHaveValue('lost')
  await expect
    .element(page.getByRole('option', { name: 'A program that is not there any more' }))
    .toBeInTheDocument()
})

test('a program that can’t be run is refused in its sentence', async () => {
  const message = 'lamp.sh is not executable. Allow it with “chmod u+x”, and try again.'
  const failure = { kind: 'invalid', field: 'program', message } as const
  show({}, { chooseProgram: () => failed(failure) })
  await button('Edit rule 1').click()
  await button('Choose a program…').click()
  await expect.poll(() => shownToast.value?.text).toContain(message)
  await expect.element(field()).toHaveValue('')
})

test('each program says how it ended, can be tried and is forgotten', async () => {
  const bridge = show(
    {},
    { tryProgram: () => ({ failure: 'exit 4', ms: 300, output: 'no route to lamp' }) },
  )
  await expect.element(of('lamp.sh')).toMatchTextContent('Last run failed: exit 3')
  await expect.element(of('ticket.sh')).toMatchTextContent('Last run: exit 0')
  await expect.element(of('mqtt.sh')).toMatchTextContent('It has not run yet.')
  await of('mqtt.sh').getByRole('button', { name: 'Try it' }).click()
  await expect
    .element(of('mqtt.sh').getByRole('status'))
    .toMatchTextContent('It failed: exit 4, after less than 1 s. It printed:no route to lamp')
  await of('lamp.sh').getByRole('button', { name: 'Remove' }).click()
  await expect.element(page.getByRole('region', { name: 'Programs' })).toHaveFocus()
  expect(bridge.inputsOf('tryProgram')).toEqual([{ id: 'mqtt' }])
  expect(bridge.inputsOf('forgetProgram')).toEqual([{ id: 'lamp' }])
})

test('the demo says that nothing there runs a program', async () => {
  const accounts = [{ ...eg.account(), demo: true }]
  show({ programId: 'lamp' }, {}, { accounts, environment: emptyState.environment })
  await button('Edit rule 1').click()
  const said = page.getByText('Programs are off in the demo', { exact: false })
  await expect.poll(() => said.elements().length).toBe(2)
})
