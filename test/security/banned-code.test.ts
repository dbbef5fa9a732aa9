import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'

/** Code that may occur in its given places only. (For imports, see test/architecture.test.ts.) */
interface Ban {
  readonly what: string
  readonly code: RegExp
  /** Paths below src/. */
  readonly places: readonly string[]
  /** The control: lines that must be found. */
  readonly bad: readonly string[]
}

const bans: readonly Ban[] = [
  {
    what: 'HTML from text',
    code: /\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|setHTMLUnsafe|parseHTMLUnsafe|createContextualFragment|srcdoc)\b|\bdocument\s*\.\s*write(ln)?\b|\bDOMParser\b/,
    places: [],
    bad: [
      'box.innerHTML = html',
      "box['outerHTML'] = html",
      "box.insertAdjacentHTML('beforeend', html)",
      'document.write(html)',
      'document.writeln(html)',
      'return <p dangerouslySetInnerHTML={{ __html: html }} />',
      'box.setHTMLUnsafe(html)',
      'Document.parseHTMLUnsafe(html)',
      'range.createContextualFragment(html)',
      'return <iframe srcdoc={html} />',
      "new DOMParser().parseFromString(html, 'text/html')",
    ],
  },
  {
    what: 'the sanitizer',
    code: /\b(setHTML|parseHTML|Sanitizer)\b/,
    places: ['renderer/chat/sanitize.ts'],
    bad: ['box.setHTML(html, { sanitizer })', 'new Sanitizer({})'],
  },
  {
    what: "main's end of the door",
    code: /\bipcMain\b/,
    places: ['main/desktop/window/ipc.ts'],
    bad: ["ipcMain.handle('x', run)", "import { ipcMain } from 'electron'"],
  },
  {
    what: "the window's end of the door",
    code: /\b(ipcRenderer|contextBridge|webFrame|webUtils)\b/,
    places: ['preload/index.ts'],
    bad: ["ipcRenderer.send('x')", "contextBridge.exposeInMainWorld('x', {})"],
  },
  {
    what: "the way to the computer's other programs",
    code: /\b(openExternal|openPath|showItemInFolder|trashItem|beep|writeShortcutLink)\b/,
    places: ['main/desktop/system/links.ts'],
    bad: ['shell.openExternal(url)', 'const { openPath } = shell'],
  },
  {
    what: 'the clipboard of the computer',
    code: /\bclipboard\.\w|[{,]\s*clipboard\s*[,}]/,
    places: ['main/desktop/system/links.ts'],
    bad: [
      'clipboard.writeText(key)',
      'navigator.clipboard.readText()',
      "import { clipboard } from 'electron'",
    ],
  },
  {
    what: 'text as code',
    code: /\beval\b|\bnew\s+Function\b|\bFunction\s*\(|\bset(Timeout|Interval)\s*\(\s*['"`]|'node:vm'|\bexecuteJavaScript\b|\binsertCSS\b|\bjavascript:/,
    places: [],
    bad: [
      'eval(text)',
      "new Function('return 1')",
      "Function('return 1')()",
      "setTimeout('run()', 1)",
      "import vm from 'node:vm'",
      'contents.executeJavaScript(text)',
      "location.href = 'javascript:run()'",
    ],
  },
  {
    what: 'other programs',
    code: /'(node:)?(child_process|cluster|worker_threads)'/,
    places: [
      'main/attention/program-run.ts',
      'main/desktop/notifications/program-notifier.ts',
      'main/desktop/system/system-quiet.ts',
      'main/storage/disk-thread.ts',
      'main/storage/disk-worker.ts',
    ],
    bad: ["import { exec } from 'node:child_process'", "require('child_process')"],
  },
  {
    what: 'a shell',
    code: /(?<![.\w])(exec|execSync)\s*\(|\bshell:\s*true\b/,
    places: [],
    bad: ["exec('ls ' + name)", "spawn('ls', [], { shell: true })", "execSync('ls')"],
  },
  {
    what: "requests past main's own transport",
    code: /(?<![.\w])fetch\s*\(|\bXMLHttpRequest\b|\bnew\s+(WebSocket|EventSource|Worker|SharedWorker)\b|\bsendBeacon\b|\bnet\.request\b/,
    // It loads a file of our own, and fetches nothing.
    places: ['main/storage/disk-thread.ts'],
    bad: ['await fetch(url)', 'new XMLHttpRequest()', 'new WebSocket(url)', 'new Worker(url)'],
  },
  {
    what: 'a port that others could connect to',
    code: /\bcreateServer\b|\bserver\s*\.\s*listen\b/,
    places: [],
    bad: ['createServer(answer)', 'server.listen(0)'],
  },
  {
    what: 'a scheme of ours in the system',
    code: /\bsetAsDefaultProtocolClient\b|'open-url'/,
    places: ['main/index.ts'],
    bad: ["app.setAsDefaultProtocolClient('belfry')"],
  },
  {
    what: 'an updater',
    code: /\bautoUpdater\b|\bcrashReporter\b/,
    places: [],
    bad: ['autoUpdater.checkForUpdates()'],
  },
  {
    what: 'keys in a place of the page that outlives it',
    code: /\b(localStorage|sessionStorage|indexedDB)\b|\bdocument\s*\.\s*cookie\b/,
    places: [],
    bad: ["localStorage.setItem('key', key)", 'document.cookie = key'],
  },
]

/** The file without comments, which may name what they forbid. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[\s;{}(])\/\/[^\n]*/g, '$1')
}

const folder = join(projectRoot, 'src')
const sources = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && /\.(tsx?|html)$/.test(file.name))
  .map((file) => join(file.parentPath, file.name))
  .map((path) => ({
    path: path.slice(folder.length + 1).replaceAll('\\', '/'),
    code: codeOf(readFileSync(path, 'utf8')),
  }))

describe('the sources', () => {
  test.each(bans)('use $what only in its own place', ({ code, places }) => {
    const users = sources.filter((source) => code.test(source.code)).map(({ path }) => path)
    expect(users.filter((path) => !places.includes(path))).toEqual([])
    // A place that no longer needs it would be a hole in the fence.
    expect(places.filter((path) => !users.includes(path))).toEqual([])
  })

  test.each(bans)('are searched thoroughly: $what is found in any form', ({ code, bad }) => {
    expect(bad.filter((line) => !code.test(codeOf(`const a = 1\n${line}\n`)))).toEqual([])
    expect(code.test(codeOf(`// ${bad[0]}\n/* ${bad[1]} */\n`))).toBe(false)
  })

  test('turn off none of Electron’s protections', () => {
    const off =
      /(contextIsolation|sandbox|webSecurity):\s*false|(nodeIntegration\w*|webviewTag|allowRunningInsecureContent|experimentalFeatures|enableRemoteModule|bypassCSP|corsEnabled):\s*true|appendSwitch|enableBlinkFeatures/
    expect(sources.filter(({ code }) => off.test(code)).map(({ path }) => path)).toEqual([])
    const bad = ['sandbox: false', 'nodeIntegrationInWorker: true', 'bypassCSP: true']
    expect(bad.filter((line) => !off.test(line))).toEqual([])
    const windows = sources.find(({ path }) => path === 'main/desktop/window/windows.ts')?.code
    for (const on of ['sandbox: true', 'contextIsolation: true', 'nodeIntegration: false'])
      expect(windows).toContain(on)
  })
})
