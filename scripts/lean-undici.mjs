/**
 * Leaves out of the bundle what undici has and the app never uses. It loads Node's HTTP/2 with its own
 * client for it, and with that TLS, whatever is asked for: half of what main costs at its start.
 */
const folder = '/node_modules/undici/'
const prefix = 'lean-undici:'

/** A part that is asked for only by what the app never does: asked for all the same, it is a bug. */
const never = (/** @type {string} */ what) =>
  `throw new Error(${JSON.stringify(`${what} is left out of this build of undici`)})`

/** By file: what stands in its place. */
const files = new Map([
  // The transport offers HTTP/1.1 only (`allowH2: false`).
  ['lib/dispatcher/client-h2.js', `module.exports = () => { ${never('HTTP/2')} }`],
  // A second parser, which an environment variable chooses.
  ['lib/dispatcher/parser-h1.js', 'module.exports = { getMiloEnabled: () => false }'],
  // Bodies are text, bytes or a stream of them.
  ['lib/web/fetch/body.js', never('FormData')],
  ['lib/web/fetch/formdata.js', never('FormData')],
  ['lib/web/webidl/index.js', never('WebIDL')],
])

/** By name: Node's own modules of which undici uses one thing that costs much less. */
const builtins = new Map([
  [
    'node:assert',
    `module.exports = (holds, message) => {
      if (!holds) throw new Error(message || 'undici: an assertion does not hold')
    }`,
  ],
  // Node's default, and the kind of body that no caller of ours has.
  ['node:http', 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }'],
])

/** @returns {import('vite').Plugin} */
export function leanUndici() {
  return {
    name: 'lean-undici',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
    load(id) {
      const [, path = ''] = id.replaceAll('\\', '/').split(folder)
      const code = files.get(path) ?? builtins.get(id.replace(`\0${prefix}`, ''))
      return code === undefined ? null : { code, map: null }
    },
    // Node's own modules are let through before any plugin is asked where they are.
    transform(code, id) {
      if (!id.replaceAll('\\', '/').includes(folder)) return null
      const lean = code.replace(/require\('(node:\w+)'\)/g, (whole, name) =>
        builtins.has(name) ? `require('${prefix}${name}')` : whole,
      )
      return { code: lean, map: null }
    },
  }
}
