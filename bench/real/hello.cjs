// The least that an Electron app in the tray with one window costs.
const { app, BrowserWindow, Menu, nativeImage, Tray } = require('electron')
const { join } = require('node:path')

/** Time from hiding the window to destroying it. */
const keptMs = 120_000

app.enableSandbox()
app.on('window-all-closed', () => undefined)
void app.whenReady().then(() => {
  const icon = nativeImage.createFromPath(join(__dirname, 'icon.png')).resize({ width: 22 })
  const tray = new Tray(icon)
  tray.setContextMenu(Menu.buildFromTemplate([{ label: 'Quit', click: () => app.quit() }]))
  const window = new BrowserWindow({ width: 420, height: 620, autoHideMenuBar: true })
  tray.on('click', () => {
    window.hide()
    setTimeout(() => window.destroy(), keptMs)
  })
  void window.loadURL('data:text/html,<title>Hello</title><h1>Hello</h1>')
})
