import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Pixels of the screen; the panel is as wide and at its top. */
const screen = { width: 700, height: 60 } as const
const panelHeight = 30

/** A real panel with a real tray, on a screen and a session bus of its own. */
export interface RealPanel {
  /** For DBUS_SESSION_BUS_ADDRESS. */
  readonly address: string
  /** The panel as it looks now, as PNG. */
  picture(): Buffer
  stop(): Promise<void>
}

/** Red, green and blue, 0 to 255. */
type Colour = readonly [number, number, number]

/** Xfce's panel with nothing but its tray, in one colour. Throws where Xvfb or xfce4-panel is missing. */
export async function startPanel(colour: Colour): Promise<RealPanel> {
  const home = mkdtempSync(join(tmpdir(), 'belfry-panel-'))
  const children: ChildProcess[] = []
  const start = (env: NodeJS.ProcessEnv, stdio: 'ignore' | 'pipe', ...command: string[]) => {
    const [program = '', ...args] = command
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'ignore', stdio] })
    children.push(child)
    return child
  }
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill()
      await ended
    }
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const size = `${screen.width}x${screen.height}x24`
    const xvfb = start(process.env, 'pipe', 'Xvfb', '-displayfd', '3', '-screen', '0', size)
    const display = await firstLine(xvfb, 3)
    const own = { ...process.env, DISPLAY: `:${display}`, HOME: home, XDG_CONFIG_HOME: home }
    // What keeps the panel's settings is started by the bus, and has the bus's environment.
    const bus = start(own, 'ignore', 'dbus-daemon', '--session', '--nofork', '--print-address=1')
    const address = await firstLine(bus, 1)
    const env = { ...own, DBUS_SESSION_BUS_ADDRESS: address, NO_AT_BRIDGE: '1' }
    writeConfig(home, colour)
    start(env, 'ignore', 'openbox')
    start(env, 'ignore', 'xfce4-panel', '--disable-wm-check')
    const crop = `${screen.width}x${panelHeight}+0+0`
    return {
      address,
      picture: () =>
        execFileSync('import', ['-window', 'root', '-crop', crop, '+repage', 'png:-'], { env }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function firstLine(child: ChildProcess, fd: number): Promise<string> {
  const failed = once(child, 'error').then(([error]) => {
    throw error
  })
  const stream = child.stdio[fd]
  if (stream == null) throw new Error(`no output ${fd}`)
  const [line] = (await Promise.race([once(stream, 'data'), failed])) as [Buffer]
  return line.toString().trim()
}

function writeConfig(home: string, colour: Colour): void {
  const folder = join(home, 'xfce4', 'xfconf', 'xfce-perchannel-xml')
  mkdirSync(folder, { recursive: true })
  const parts = [...colour.map((part) => part / 255), 1]
  const rgba = parts.map((part) => `<value type="double" value="${part}"/>`).join('')
  const config = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="${panelHeight}"/>
      <property name="background-style" type="uint" value="1"/>
      <property name="background-rgba" type="array">${rgba}</property>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="icon-size" type="int" value="22"/>
      <property name="square-icons" type="bool" value="false"/>
      <property name="hide-new-items" type="bool" value="false"/>
    </property>
  </property>
</channel>
`
  writeFileSync(join(folder, 'xfce4-panel.xml'), config)
}
