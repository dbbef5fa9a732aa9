import type { RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'
import { settingsHandlers } from './realm-settings.ts'
import { viewHandlers } from './realm-views.ts'

/** Settings, drafts, groups and the realm's configuration: what the tray itself hardly needs. */
export function officeHandlers(data: RealmData) {
  const groups = new Map([[21, new Set([data.me.id, 12])]])
  return {
    ...settingsHandlers(data),
    listUserGroups({ params }) {
      params.maybe('include_deactivated_groups', shapes.boolean)
      const rows = [...groups].map(([id, members]) => ({
        id,
        name: 'on-call',
        description: 'Who is woken at night',
        members: [...members],
        direct_subgroup_ids: [],
        is_system_group: false,
        deactivated: false,
      }))
      return { user_groups: rows }
    },
    updateUserGroupMembers: (call) => updateGroup(data, groups, call),
    ...viewHandlers(data),
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
  } satisfies Partial<Handlers>
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
