import type { RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'

/** Settings, drafts, groups and the realm's configuration: what the tray itself hardly needs. */
export function officeHandlers(data: RealmData) {
  const drafts = new Set([1])
  const attachments = seedAttachments(data)
  const groups = new Map([[21, new Set([data.me.id, 12])]])
  const views = new Map([['narrow/channel/1-ops', { is_pinned: true, name: 'Operations' }]])
  return {
    updateSettings: (call) => updateSettings(data, call),
    editDraft: (call) => editDraft(data, drafts, call),
    createSavedSnippet({ params }) {
      const title = params.text('title').trim()
      const content = params.text('content').trim()
      if (title === '' || content === '') throw new Refusal('Title and content cannot be blank.')
      if ([...title].length > 60) throw new Refusal('title is too long (limit: 60 characters)')
      return { saved_snippet_id: data.nextId() }
    },
    updateUserGroupMembers: (call) => updateGroup(data, groups, call),
    addPushDeviceToken({ params }) {
      const token = params.text('token')
      params.text('appid')
      if (token === '' || token.length > 4096) throw new Refusal('Empty or invalid length token')
      if (!/^[0-9a-f]+$/i.test(token)) throw new Refusal('Invalid token')
      return {}
    },
    updateNavigationView: (call) => updateView(views, call),
    addPlayground({ params }) {
      params.text('name')
      params.text('pygments_language')
      const variables = params.text('url_template').match(/\{[^}]*\}/g) ?? []
      if (!/^\{[+#./;?&]?code\}$/.test(variables.join(''))) {
        throw new Refusal('"code" must be the only variable present in the URL template')
      }
      return { id: data.nextId() }
    },
    addLinkifier({ params }) {
      const pattern = params.text('pattern')
      const template = params.text('url_template')
      checkLinkifier(pattern, template)
      return { id: data.nextId() }
    },
    listAttachments: () => ({
      attachments: [...attachments.values()],
      upload_space_used: 48_213,
    }),
    deleteAttachment(call) {
      const id = pathId(call, 'attachment_id')
      if (!attachments.delete(id)) throw new Refusal('Invalid attachment')
      data.queues.push(() => ({ type: 'attachment', op: 'remove', attachment: { id } }))
      return {}
    },
  } satisfies Partial<Handlers>
}

function seedAttachments(data: RealmData) {
  const row = {
    id: 31,
    name: 'latency.png',
    path_id: '2/a1/latency.png',
    size: 48_213,
    // Milliseconds, here alone in this API.
    create_time: data.now() - 7_200_000,
    messages: [],
  }
  return new Map([[row.id, row]])
}

function updateSettings(data: RealmData, { params }: Call) {
  const changed: [string, boolean | number | string][] = []
  for (const [name, value] of Object.entries(data.settings)) {
    const given =
      typeof value === 'string'
        ? params.maybeText(name)
        : params.maybe<boolean | number>(
            name,
            typeof value === 'boolean' ? shapes.boolean : shapes.whole,
          )
    if (given !== undefined) changed.push([name, given])
  }
  const fullName = params.maybeText('full_name')
  params.maybeText('email')
  const newPassword = params.maybeText('new_password')
  if (newPassword !== undefined && params.maybeText('old_password') === undefined) {
    throw new Refusal('Wrong password!')
  }
  if (fullName !== undefined) data.me.name = fullName
  for (const [property, value] of changed) {
    data.settings[property] = value
    data.queues.push(() => ({ type: 'user_settings', op: 'update', property, value }))
  }
  return {}
}

const draftKeys = ['type', 'to', 'topic', 'content', 'timestamp']

function editDraft(data: RealmData, drafts: ReadonlySet<number>, call: Call) {
  const draft = call.params.json('draft', shapes.record)
  const id = pathId(call, 'draft_id')
  if (data.settings['enable_drafts_synchronization'] === false) {
    throw new Refusal('User has disabled synchronizing drafts.')
  }
  const extra = Object.keys(draft).find((key) => !draftKeys.includes(key))
  if (extra !== undefined) throw new Refusal(`draft["${extra}"]: Extra inputs are not permitted`)
  if (!drafts.has(id)) throw new Refusal('Draft does not exist', { status: 404 })
  if (typeof draft['content'] !== 'string' || draft['content'].trim() === '') {
    throw new Refusal('draft["content"] cannot be blank')
  }
  data.queues.push(() => ({ type: 'drafts', op: 'update', draft: { id, ...draft } }))
  return {}
}

function updateGroup(data: RealmData, groups: Map<number, Set<number>>, call: Call) {
  const add = call.params.maybe('add', shapes.wholes) ?? []
  const remove = call.params.maybe('delete', shapes.wholes) ?? []
  const subgroups = [
    ...(call.params.maybe('add_subgroups', shapes.wholes) ?? []),
    ...(call.params.maybe('delete_subgroups', shapes.wholes) ?? []),
  ]
  const group = groups.get(pathId(call, 'user_group_id'))
  if (!group || subgroups.some((id) => !groups.has(id))) throw new Refusal('Invalid user group')
  if (add.length + remove.length + subgroups.length === 0) {
    throw new Refusal(
      'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    )
  }
  const unknown = [...add, ...remove].find((id) => !data.people.has(id))
  if (unknown !== undefined) throw new Refusal(`Invalid user ID: ${unknown}`)
  for (const id of add) group.add(id)
  for (const id of remove) group.delete(id)
  return {}
}

const builtInViews = [
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/is/mentioned',
  'narrow/is/starred',
]

function updateView(
  views: ReadonlyMap<string, { is_pinned: boolean; name: string }>,
  { path, params }: Call,
) {
  const fragment = path['fragment'] ?? ''
  params.maybe('is_pinned', shapes.boolean)
  const name = params.maybeText('name')
  const builtIn = builtInViews.includes(fragment)
  if (builtIn && name !== undefined) throw new Refusal('Built-in views cannot have a custom name.')
  if (!builtIn && !views.has(fragment)) {
    throw new Refusal('Navigation view does not exist.', { status: 404, code: 'NOT_FOUND' })
  }
  return {}
}

function checkLinkifier(pattern: string, template: string): void {
  const groups = [...pattern.matchAll(/\(\?P?<(\w+)>/g)].map(([, name]) => name)
  try {
    new RegExp(pattern.replaceAll('(?P<', '(?<'))
  } catch {
    // The pattern came with the request; a bad one is its fault, not ours.
    throw new Refusal('Bad regular expression: invalid syntax')
  }
  const variables = [...template.matchAll(/\{[+#./;?&]?(\w+)[^}]*\}/g)].map(([, name]) => name)
  const missing = variables.find((name) => !groups.includes(name))
  if (missing !== undefined) {
    throw new Refusal(`Group '${missing}' in URL template is not present in linkifier pattern.`)
  }
}
