/**
 * Whether the unit tests notice faults: StrykerJS makes one after the other in the code, and runs
 * those of the part's own tests that reach it.
 *
 *   npm run mutate                        lists the parts
 *   npm run mutate -- storage outbox      parts, up to an hour each
 *   npm run mutate -- src/main/http/wait.ts
 *
 * What survives is in test-results/mutate-<part>.txt. StrykerJS is fetched by the first run into
 * node_modules/.cache: 177 packages that nobody needs to build, run or test Belfry.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runNpm, scriptEnv } from './machine.mjs'
import { projectRoot } from './programs.mjs'

const version = '10.1.1'

/** @type {Readonly<Record<string, { files: readonly string[], tests: string }>>} */
const parts = {
  engine: attention('{engine,judge,work,show,decision,wanted}'),
  notices: attention('{notice,notices,notices-follow,as-now,events-between,digests}'),
  silences: attention('{silence,silences-on,silences-update,rules,quiet-hours,asked}'),
  attention: attention(
    '{attention-slice,blindness,check-news,event,flapping,memory,old-memory}',
    '{outage-messages,reminders,same-event,still-down,trial}',
  ),
  maintenance: attention('{maintenance,dependencies}/*'),
  runs: attention('{runs,programs,remind-me}/*'),
  outbox: {
    files: ['src/shared/core/chat/outbox.ts', 'src/main/chat/outbox-*.ts'],
    tests: 'test/{main,shared/core}/chat',
  },
  events: {
    files: [
      'src/main/chat/event-*.ts',
      'src/shared/core/chat/chat-event.ts',
      'src/shared/core/chat/chat-apply.ts',
    ],
    tests: 'test/{main,shared/core}/chat',
  },
  http: { files: ['src/main/http/**/*.ts'], tests: 'test/main/http' },
  storage: { files: ['src/main/storage/**/*.ts'], tests: 'test/main/storage' },
}

/** @param {string[]} files in the folder of the attention engine, of which one part would take hours */
function attention(...files) {
  return {
    files: files.map((name) => `src/shared/core/attention/${name}.ts`),
    tests: 'test/shared/core/attention',
  }
}

const chosen = process.argv.slice(2)
if (chosen.length === 0) {
  console.log(`usage: npm run mutate -- PART…\nParts: ${Object.keys(parts).join(', ')}, or a file`)
  process.exit(2)
}
const stryker = join(projectRoot, 'node_modules', '.cache', `stryker-${version}`)
install()
for (const part of chosen) mutate(part)

function install() {
  const modules = join(stryker, 'node_modules', '@stryker-mutator')
  if (existsSync(join(modules, 'vitest-runner'))) return
  mkdirSync(stryker, { recursive: true })
  writeFileSync(join(stryker, 'package.json'), '{ "private": true }\n')
  // Its Vitest is the project's, which is found further up.
  const how = ['--no-audit', '--no-fund', '--legacy-peer-deps', '--save-exact']
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${version}`)
  const { status } = runNpm(['install', ...how, ...packages], { cwd: stryker, stdio: 'inherit' })
  if (status !== 0) throw new Error('StrykerJS could not be fetched: see above')
}

/** @param {string} part */
function mutate(part) {
  const { files, tests } = parts[part] ?? {
    files: [part],
    tests: dirname(part).replace(/^src/, 'test'),
  }
  const name = part.replaceAll('/', '-')
  const report = join(projectRoot, 'test-results', `mutate-${name}`)
  mkdirSync(join(projectRoot, 'test-results'), { recursive: true })
  writeFileSync(
    `${report}.json`,
    JSON.stringify({
      testRunner: 'vitest',
      plugins: ['vitest-runner/dist/src/index.js'].map((path) =>
        join(stryker, 'node_modules', '@stryker-mutator', path),
      ),
      vitest: { configFile: 'test/vitest.mutate.config.ts' },
      mutate: files,
      // Most strings are words, which people read, and names that the compiler checks; of a regular
      // expression with the flag v it makes what no engine reads.
      mutator: { excludedMutations: ['StringLiteral', 'Regex'] },
      // It would be rewritten by a compiler that TypeScript 7 no longer has.
      tsconfigFile: 'none.json',
      disableTypeChecks: false,
      concurrency: 2,
      // Of all tests that reach the part: on a busy computer they take longer than the usual five.
      dryRunTimeoutMinutes: 30,
      // Vitest finds no tests in a folder below node_modules.
      tempDirName: `test-results/mutate-${name}`,
      ignorePatterns: ['out', 'dist', 'test-results'],
      reporters: ['progress-append-only', 'clear-text'],
      clearTextReporter: { reportTests: false, allowColor: false, allowEmojis: false },
      allowConsoleColors: false,
    }),
  )
  const program = join(stryker, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js')
  // A file that can be read meanwhile.
  const output = openSync(`${report}.txt`, 'w')
  const { status } = spawnSync(process.execPath, [program, 'run', `${report}.json`], {
    cwd: projectRoot,
    env: { ...scriptEnv, MUTATE_TESTS: tests },
    stdio: ['ignore', output, 'inherit'],
  })
  closeSync(output)
  console.log(readFileSync(`${report}.txt`, 'utf8').split('\n').slice(-40).join('\n'))
  if (status !== 0) process.exitCode = 1
}
