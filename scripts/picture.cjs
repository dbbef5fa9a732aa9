/**
 * Loaded into the app before its own code by `npm start -- --picture FILE`: saves what the first
 * window shows once it has content, and quits.
 */
const { writeFileSync } = require('node:fs')
const { app, BrowserWindow } = require('electron')

const lookMs = 100
const limitMs = 60_000
const file = process.env['BELFRY_PICTURE'] ?? ''

/** Until then it shows a skeleton without a word. */
const hasContent = "(document.querySelector('main')?.innerText ?? '').trim() !== ''"

/** Two frames later it is painted. A window that nobody sees may get none. */
const painted = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve))
  setTimeout(resolve, 1_000)
})`

void takePicture().then(
  () => app.quit(),
  (/** @type {Error} */ { message }) => {
    process.stderr.write(`belfry: no picture was taken: ${message}\n`)
    app.exit(1)
  },
)

async function takePicture() {
  await app.whenReady()
  const until = Date.now() + limitMs
  let last = 'there was none'
  while (Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, lookMs))
    const [window] = BrowserWindow.getAllWindows()
    // On a busy computer the app may have to load its page again meanwhile.
    const shows = await window?.webContents
      .executeJavaScript(hasContent)
      .catch((/** @type {unknown} */ error) => String(error))
    if (window === undefined || shows !== true) {
      if (window !== undefined) last = `${window.webContents.getURL()}: ${shows}`
      continue
    }
    await window.webContents.executeJavaScript(painted)
    const picture = await window.webContents.capturePage()
    writeFileSync(file, picture.toPNG())
    return
  }
  throw new Error(`the window showed nothing within ${limitMs / 1_000} s (${last})`)
}
