import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import dbus from '@homebridge/dbus-native'
import { openSessionBus, plainValue } from '../../src/main/desktop/system/session-bus.ts'
import type { FakeDesktop, TrayItem } from '../support/session-bus.ts'

const itemInterface = 'org.kde.StatusNotifierItem'
const itemPath = '/StatusNotifierItem'
const menuInterface = 'com.canonical.dbusmenu'
const menuPath = '/com/canonical/dbusmenu'
const signals = [
  ...['NewIcon', 'NewTitle', 'NewToolTip', 'NewStatus', 'NewAttentionIcon', 'NewOverlayIcon'].map(
    (member) => ({ path: itemPath, interface: itemInterface, member }),
  ),
  ...['LayoutUpdated', 'ItemsPropertiesUpdated'].map((member) => ({
    path: menuPath,
    interface: menuInterface,
    member,
  })),
]

/** The desktop around the app, as far as the app can use and observe it. */
export interface Around {
  /** For the app's PATH: programs that record what they were to open. */
  readonly openers: string
  /** What the app can ask for by name. Rejects if the bus returns an error. */
  readonly does: Readonly<Record<string, (...args: never[]) => unknown>>
  close(): void
}

// The package's own declarations only know `systemBus`.
const library = dbus as unknown as {
  createClient(options: { busAddress: string }): {
    readonly connection: { on(name: 'error', listener: () => void): void; end(): void }
    requestName(name: string, flags: number, reply: (error: unknown) => void): void
    sendSignal(
      path: string,
      iface: string,
      member: string,
      signature: string,
      body: unknown[],
    ): void
  }
}

/** Announces on the system bus that the computer sleeps, wakes or shuts down. */
async function startLogind(address: string) {
  const bus = library.createClient({ busAddress: address })
  bus.connection.on('error', () => undefined)
  await new Promise((resolve) => {
    bus.requestName('org.freedesktop.login1', 0, resolve)
  })
  const iface = 'org.freedesktop.login1.Manager'
  return {
    says: (member: string, value: boolean) =>
      bus.sendSignal('/org/freedesktop/login1', iface, member, 'b', [value]),
    close: () => bus.connection.end(),
  }
}

/** Both hosts put their process id in it: `org.kde.StatusNotifierItem-<process>-<number>`. */
const withoutProcess = (name: string): string => name.replace(/-\d+-/, '-PROCESS-')

/** An entry of the menu layout without its number, which is arbitrary. */
interface Entry {
  readonly [property: string]: unknown
}

export async function surround(
  desktop: FakeDesktop,
  system: FakeDesktop,
  folder: string,
): Promise<Around> {
  const logind = await startLogind(system.address)
  const bus = await openSessionBus(desktop.address)
  const heard: string[] = []
  for (const signal of signals)
    bus.onSignal({ ...signal, from: null }, () => heard.push(signal.member))
  const openers = join(folder, 'openers')
  const opened = join(folder, 'opened.txt')
  await makeOpeners(openers, opened)
  let seen = 0
  const item = (): TrayItem => {
    const last = desktop.items.all.at(-1)
    if (last === undefined) throw new Error('no item has registered')
    return last
  }
  const ask = (iface: string, member: string, signature: string, ...body: unknown[]) =>
    bus.call({
      destination: item().service,
      path: iface === menuInterface ? menuPath : item().path,
      interface: iface,
      member,
      ...(signature === '' ? {} : { signature, body }),
    })
  const property = async (iface: string, name: string): Promise<unknown> => {
    const [value] = await ask('org.freedesktop.DBus.Properties', 'Get', 'ss', iface, name)
    return plainValue(value)
  }
  return {
    openers,
    does: {
      'new item': async () => {
        const before = desktop.items.all.slice(0, seen)
        const { service, path } = await desktop.items.waitFor((one) => !before.includes(one))
        seen = desktop.items.all.length
        return [withoutProcess(service), path]
      },
      'count items': () => desktop.items.all.length,
      property: (name: string) => property(itemInterface, name),
      'menu property': (name: string) =>
        bus
          .call({
            destination: item().service,
            path: menuPath,
            interface: 'org.freedesktop.DBus.Properties',
            member: 'Get',
            signature: 'ss',
            body: [menuInterface, name],
          })
          .then(([value]) => plainValue(value)),
      call: (member: string, signature: string, ...body: unknown[]) =>
        ask(itemInterface, member, signature, ...body),
      menu: async () => (await desktop.menu(item())).map(withoutNumbers),
      click: (...labels: string[]) => desktop.clickMenu(item(), ...labels),
      'is there': () => desktop.isThere(item()),
      host: (there: boolean) => desktop.setHost(there),
      watcher: (there: boolean) => (there ? desktop.serveWatcher() : desktop.dropWatcher()),
      heard: async () => {
        // Signals sent before its answer have arrived by then.
        await property(itemInterface, 'Status')
        await new Promise(setImmediate)
        return heard.splice(0)
      },
      logind: logind.says,
      opened: () => readFile(opened, 'utf8').then((text) => text.split('\n').slice(0, -1)),
    },
    close: () => {
      bus.close()
      logind.close()
    },
  }
}

function withoutNumbers({ id, children, ...properties }: Entry): Entry {
  const below = (children as Entry[]).map(withoutNumbers)
  return { ...properties, numbered: typeof id === 'number', ...(below.length > 0 && { below }) }
}

async function makeOpeners(folder: string, log: string): Promise<void> {
  await mkdir(folder)
  await writeFile(log, '')
  for (const name of ['xdg-open', 'xdg-email']) {
    const file = join(folder, name)
    await writeFile(
      file,
      `#!/bin/sh\nprintf '%s %s\\n' ${name} "$*" >>'${log}'\ncase "$*" in *refused*) exit 3;; esac\n`,
    )
    await chmod(file, 0o755)
  }
}
