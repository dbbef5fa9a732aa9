/**
 * What the Electron that the app is built for has and this one lacks, as far as the app calls it. Each
 * is made of what this one has, where it has it.
 */
const { createCipheriv, createDecipheriv, createHash, randomBytes } = require('node:crypto')
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { dirname, join } = require('node:path')
const tls = require('node:tls')
const { constants, Script } = require('node:vm')
const workerThreads = require('node:worker_threads')
const zlib = require('node:zlib')
const { app, clipboard, safeStorage } = require('electron')

tls.getCACertificates = (kind = 'default') => (kind === 'default' ? [...tls.rootCertificates] : [])
workerThreads.markAsUncloneable = () => undefined
// undici asks for it as it is read; the app never asks a server for zstd.
zlib.createZstdDecompress = () => {
  throw new Error('this Node has no zstd')
}

const { writeText } = clipboard
clipboard.writeText = async (text) => writeText.call(clipboard, text)

/** The bus of a test has no keyring: `--password-store=gnome-libsecret` plays one, as on the stand-in. */
const hasKeyring = () => app.commandLine.getSwitchValue('password-store') === 'gnome-libsecret'

/** @param {string} prefix */
function keyOf(prefix) {
  if (prefix === 'v10') return Buffer.alloc(32, 'peanuts')
  const file = join(app.getPath('userData'), 'host-keyring')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return readFileSync(file)
}

function refuseIfLocked() {
  if (hasKeyring() && existsSync(join(app.getPath('userData'), 'host-keyring-locked')))
    throw new Error('Encryption is temporarily unavailable. Please try again.')
}

safeStorage.getSelectedStorageBackend = () => (hasKeyring() ? 'gnome_libsecret' : 'basic_text')
safeStorage.isAsyncEncryptionAvailable = async () => app.isReady()
safeStorage.encryptStringAsync = async (text) => {
  refuseIfLocked()
  const prefix = hasKeyring() ? 'v11' : 'v10'
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(prefix), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from(prefix), nonce, body, cipher.getAuthTag()])
}
safeStorage.decryptStringAsync = async (sealed) => {
  refuseIfLocked()
  const prefix = sealed.toString('latin1', 0, 3)
  if (prefix !== 'v10' && !hasKeyring()) throw new Error('Error while decrypting the ciphertext')
  const decipher = createDecipheriv('aes-256-gcm', keyOf(prefix), sealed.subarray(3, 15))
  decipher.setAuthTag(sealed.subarray(-16))
  const result = decipher.update(sealed.subarray(15, -16)).toString('utf8') + decipher.final('utf8')
  return { result, shouldReEncrypt: false }
}

/** Compiled in this run, by the file for what V8 made of it. @type {Map<string, import('node:vm').Script>} */
const compiled = new Map()

/** Node's own keeps ES modules as well. @param {string} folder */
function enableCompileCache(folder) {
  Module.prototype._compile = compile

  /** @this {NodeJS.Module} @param {string} code @param {string} filename */
  function compile(code, filename) {
    const name = createHash('sha256').update(`${filename}\n${code}`).digest('hex')
    const file = join(folder, `${name}.cache`)
    const script = new Script(Module.wrap(code), {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...(existsSync(file) ? { cachedData: readFileSync(file) } : {}),
    })
    if (script.cachedDataRejected !== false) compiled.set(file, script)
    const run = /** @type {(...own: unknown[]) => void} */ (script.runInThisContext())
    const own = [this.exports, Module.createRequire(filename), this, filename, dirname(filename)]
    run.apply(this.exports, own)
  }
}

function flushCompileCache() {
  for (const [file, script] of compiled) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, script.createCachedData())
  }
  compiled.clear()
}

Object.assign(Module, { enableCompileCache, flushCompileCache })
