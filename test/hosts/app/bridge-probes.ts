import { inPage, type Probes, sharedPage } from './probe.ts'
import { makeSample } from './samples.ts'

const call = async (code: string): Promise<unknown> => inPage(await sharedPage(), code)
const names = makeSample('') as string[]

const crossing = Object.fromEntries(
  names.flatMap((name) => {
    const text = JSON.stringify(name)
    return [
      [`bridge to the preload: ${name}`, () => call(`probes.describe(makeSample(${text}))`)],
      [`bridge to the page: ${name}`, () => call(`describe(probes.sample(${text}))`)],
    ]
  }),
)

const exposing = Object.fromEntries(
  [
    ...['the probes', 'a name twice', 'a name of the page’s own', 'a text', 'a symbol'],
    ...['deep nesting', 'nesting that may be', 'a class', 'nothing'],
  ].map((name) => [
    `bridge expose: ${name}`,
    () => call(`probes.exposed()[${JSON.stringify(name)}]`),
  ]),
)

const throwing = Object.fromEntries(
  ['throwError', 'throwText', 'throwObject', 'throwNothing', 'rejectError', 'rejectText'].map(
    (name) => [`bridge: ${name}`, () => call(`probes.${name}()`)],
  ),
)

/** Expressions evaluated in the page. */
const looks: Readonly<Record<string, string>> = {
  'an error that crossed is the page’s own':
    '(() => { try { probes.throwError() } catch (error) { return [error instanceof Error, error.constructor === Error] } })()',
  'what was exposed is frozen':
    '[Object.isFrozen(probes), Object.isFrozen(exposedNested), Object.isFrozen(exposedNested.in), Object.isFrozen(probes.echo)]',
  'what was exposed can’t be replaced':
    '(() => { "use strict"; try { window.probes = 1 } catch (error) { return error.name } return typeof window.probes })()',
  'what was exposed can’t be changed':
    '(() => { "use strict"; try { probes.echo = 1 } catch (error) { return error.name } return "changed" })()',
  'the property that was exposed':
    '(({ writable, enumerable, configurable }) => [writable, enumerable, configurable])(Object.getOwnPropertyDescriptor(window, "probes"))',
  'a value that was returned is not frozen': 'Object.isFrozen(probes.echo({ a: 1 }))',
  'the page’s own prototype': 'Object.getPrototypeOf(probes.echo({})) === Object.prototype',
  'a list has the page’s own prototype': 'probes.echo([]) instanceof Array',
  'a function keeps its identity there and back':
    '(() => { const act = () => 1; return probes.echo(act) === act })()',
  'a function is the same each time it crosses':
    '(() => { const act = () => 1; probes.keep(act); return probes.keptIs(act) })()',
  'a function of the preload is the same each time': 'probes.echo === probes.echo',
  'a function of the preload there and back': 'probes.echo(probes.echo) === probes.echo',
  'a function that a function returned': 'probes.makeFunction()(1)',
  'a function inside an object': 'probes.echo({ act: (a) => a + 1 }).act(1)',
  'a function of the page, called later': '(probes.keep(() => "called"), probes.callKept())',
  'a function of the page that throws':
    'probes.callAndCatch(() => { throw new RangeError("in the page") })',
  'a function of the page that throws a text': 'probes.callAndCatch(() => { throw "a text" })',
  'a function of the page that rejects':
    'probes.catchRejected(() => Promise.reject(new RangeError("in the page")))',
  'a function of the page that rejects with a text':
    'probes.catchRejected(() => Promise.reject("a text"))',
  'a promise of the page': 'probes.catchRejected(() => Promise.resolve({ a: 1 }))',
  'a promise is the page’s own': 'probes.rejectText().catch(() => 0) instanceof Promise',
  'an argument too deep':
    '(() => { let deep = {}; for (let n = 0; n < 1500; n++) deep = { in: deep }; return typeof probes.echo(deep) })()',
  'a list too deep':
    '(() => { let deep = []; for (let n = 0; n < 1500; n++) deep = [deep]; return typeof probes.echo(deep) })()',
  'a result too deep': 'typeof probes.nestedOf(1500)',
  'a text exposed': 'exposedText',
  'arguments that are left out': 'describe(probes.echo())',
  'the name and length of a function': '[probes.echo.name, probes.echo.length]',
  'the preload’s world is not the page’s':
    '(() => { window.pageGlobal = 1; return probes.seesPage() })()',
  'what the page knows of Electron':
    '[typeof require, typeof process, typeof module, typeof Buffer, typeof global]',
  'what the preload may require': "['electron', 'events', 'timers', 'url'].map(probes.require)",
  'what the preload may not require': "['fs', 'node:fs', 'path', './other.js'].map(probes.require)",
  'what the preload has of Node': 'probes.globals()',
}

const looking = Object.fromEntries(
  Object.entries(looks).map(([name, code]) => [`bridge: ${name}`, () => call(code)]),
)

export const bridgeProbes: Probes = { ...crossing, ...exposing, ...throwing, ...looking }
