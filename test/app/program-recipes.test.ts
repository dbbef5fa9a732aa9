import { spawnSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'
import { startProgram } from '../../src/main/attention/program-run.ts'
import { troubleEvent } from '../../src/shared/core/attention/event.ts'
import { programInput, trialInput } from '../../src/shared/core/attention/programs/program-input.ts'
import { checkEvent, facts, messageEvent, start } from '../support/attention-eg.ts'
import * as eg from '../support/eg.ts'
import { schemaFaults } from '../support/json-schema.ts'
import { ownFolder, ownScript, textOf } from '../support/own-program.ts'
import { serve } from '../support/test-server.ts'

const state = eg.state({ accounts: [eg.account(), eg.chatAccount()] })
const account = eg.account()
const kinds = ['down', 'late', 'recovered', 'missed', 'tooShort', 'tooLong', 'noStart'] as const
const trouble = troubleEvent('', 'offline', start, {
  title: 'offline',
  body: 'No network',
  target: { view: 'accounts' },
})

type Told = Parameters<typeof programInput>[1][number]['events']

function inputOf(...events: Told): string {
  return inputWith(state, ...events)
}

function inputWith(now: Parameters<typeof programInput>[0], ...events: Told): string {
  const notice = { id: 'n', title: events[0]?.title ?? '' }
  return programInput(now, [{ programId: 'p', notice, events }], start)
}

describe('docs/program-input.schema.json', () => {
  const schema = async () =>
    JSON.parse(
      await readFile(join(projectRoot, 'docs/program-input.schema.json'), 'utf8'),
    ) as Record<string, unknown>

  test('describes all that a program is given', async () => {
    const long = 'long "quoted" \n\u2028 text '.repeat(1_000)
    for (const text of [
      trialInput(start),
      inputOf(...kinds.map((kind) => checkEvent({ kind, body: facts(start, start) }))),
      inputOf(messageEvent(), messageEvent({ kind: 'direct', channelId: null, topic: null })),
      inputOf(trouble),
      inputOf(checkEvent({ name: long, title: long, body: long, tags: [long], at: 1e16 })),
      inputOf(messageEvent({ text: long, senderName: long, topic: long })),
      inputOf(...Array.from({ length: 80 }, (_, at) => checkEvent({ checkId: `c${at}` }))),
    ])
      expect(schemaFaults(await schema(), JSON.parse(text))).toEqual([])
  })

  test('describes no less: anything else is found (control)', async () => {
    const whole = JSON.parse(inputOf(checkEvent())) as { events: readonly object[] }
    const [event] = whole.events
    for (const wrong of [
      null,
      { ...whole, version: 2 },
      { ...whole, count: 0 },
      { ...whole, down: -1 },
      { ...whole, more: 1 },
      { ...whole, events: [] },
      { ...whole, title: 'two\nlines' },
      { ...whole, at: '14:25' },
      { ...whole, events: [{ ...event, kind: 'reminder' }] },
      { ...whole, events: [{ ...event, check: { id: 'db' } }] },
      { ...whole, events: [{ ...event, text: 'x'.repeat(2_001) }] },
    ])
      expect(schemaFaults(await schema(), wrong)).not.toEqual([])
  })
})

describe('a recipe', () => {
  const isHere = (program: string) => spawnSync(program, ['--version']).error === undefined
  const down = checkEvent({ title: 'db is down', body: '"down":0, \\' })
  /** With so many checks down as it is told. */
  const whileDown = (count: number, ...events: Told) => {
    const checks = Array.from({ length: count }, () => eg.check({ status: 'down' }))
    return inputWith({ ...state, boards: new Map([[account.id, eg.board(checks)]]) }, ...events)
  }

  /** Runs a recipe, with addresses of a stand-in in place of its own. */
  async function run(name: string, input: string, instead: readonly (readonly [string, string])[]) {
    const text = await readFile(join(projectRoot, 'docs/recipes', name), 'utf8')
    const changed = instead.reduce((all, [from, to]) => {
      expect(all).toContain(from)
      return all.replace(from, to)
    }, text)
    const { path } = await ownScript(changed, name)
    return startProgram(path, input).ended
  }

  test.runIf(isHere('curl'))(
    'turns a lamp on until nothing is down any more, whatever one run tells',
    async () => {
      const lamp = await serve((_request, response) => response.end('{}'))
      onTestFinished(() => lamp.close())
      const instead = [['http://lamp.local', lamp.url]] as const
      const recovered = { ...down, kind: 'recovered' } as const
      const ended = [
        await run('lamp.sh', whileDown(1, down), instead),
        await run('lamp.sh', whileDown(1, recovered), instead),
        await run('lamp.sh', whileDown(0, recovered), instead),
        await run('lamp.sh', whileDown(1, down), instead),
        await run('lamp.sh', whileDown(0, down, recovered), instead),
      ]
      expect(ended.map(({ end }) => end)).toEqual(ended.map(() => ({ by: 'exit', code: 0 })))
      const turns = ['on', 'on', 'off', 'on', 'off']
      expect(lamp.requests).toEqual(turns.map((turn) => `GET /relay/0?turn=${turn}`))
      await lamp.close()
      const { end, output } = await run('lamp.sh', whileDown(1, down), instead)
      expect(end).toEqual({ by: 'exit', code: 7 })
      expect(output).toContain('curl: (7)')
    },
  )

  test.runIf(isHere('curl') && isHere('jq'))('opens a ticket', async () => {
    const home = await ownFolder()
    await mkdir(join(home, '.config'))
    await writeFile(join(home, '.config/belfry-ticket-header'), 'Authorization: token t0p\n')
    vi.stubEnv('HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const opened: unknown[] = []
    const desk = await serve((request, response) => {
      let body = ''
      request.on('data', (bytes: Buffer) => {
        body += bytes.toString()
      })
      request.on('end', () => {
        opened.push([request.headers.authorization, JSON.parse(body)])
        response.writeHead(201).end('{}')
      })
    })
    onTestFinished(() => desk.close())
    const instead = [['https://git.example.org', desk.url]] as const
    const { end } = await run('ticket.sh', inputOf(down), instead)
    expect(end).toEqual({ by: 'exit', code: 0 })
    expect(desk.requests).toEqual(['POST /api/v1/repos/ops/outages/issues'])
    expect(opened).toEqual([
      ['token t0p', { title: 'db is down', body: '- db is down: "down":0, \\' }],
    ])
  })

  test('publishes what it is given over MQTT, as it is', async () => {
    const folder = await ownFolder()
    const client = join(folder, 'mosquitto_pub')
    await writeFile(client, `#!/bin/sh\necho "$@" > ${folder}/asked\ncat > ${folder}/sent\n`)
    await chmod(client, 0o700)
    vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const input = inputOf(down)
    expect((await run('mqtt.sh', input, [])).end).toEqual({ by: 'exit', code: 0 })
    expect(await textOf(join(folder, 'asked'))).toBe('-h localhost -t belfry/told -s\n')
    expect(await textOf(join(folder, 'sent'))).toBe(input)
  })
})
