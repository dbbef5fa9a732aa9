import type { RealmData } from './realm-data.ts'
import type { Call, Handlers } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'

interface View {
  readonly fragment: string
  readonly is_pinned: boolean
  readonly name: string | null
}

const builtInViews = [
  'inbox',
  'recent',
  'feed',
  'drafts',
  'narrow/has/reaction/sender/me',
  'narrow/is/mentioned',
  'narrow/is/starred',
]

/** The views of the web app's sidebar. Of the built-in ones only those that were changed are kept. */
export function viewHandlers(data: RealmData) {
  const views = new Map<string, View>()
  const first = { fragment: 'narrow/channel/1-ops', is_pinned: true, name: 'Operations' }
  views.set(first.fragment, first)
  const tell = (op: string, fields: Readonly<Record<string, unknown>>) =>
    data.queues.push(() => ({ type: 'navigation_view', op, ...fields }))
  const refuseName = (fragment: string, name: string | undefined) => {
    if (name !== undefined && builtInViews.includes(fragment))
      throw new Refusal('Built-in views cannot have a custom name.')
  }
  return {
    listNavigationViews: () => ({ navigation_views: [...views.values()] }),
    addNavigationView({ params }) {
      const fragment = params.text('fragment')
      const isPinned = params.json('is_pinned', shapes.boolean) === true
      const name = params.maybeText('name')
      refuseName(fragment, name)
      if (views.has(fragment)) throw new Refusal('Navigation view already exists.')
      if (!builtInViews.includes(fragment) && name === undefined)
        throw new Refusal('Custom views must have a valid name.')
      const view: View = { fragment, is_pinned: isPinned, name: name ?? null }
      views.set(fragment, view)
      tell('add', { navigation_view: view })
      return {}
    },
    updateNavigationView({ path, params }: Call) {
      const fragment = path['fragment'] ?? ''
      const pinned = params.maybe('is_pinned', shapes.boolean)
      const name = params.maybeText('name')
      refuseName(fragment, name)
      const old = views.get(fragment)
      if (old === undefined && !builtInViews.includes(fragment)) throw noView('NOT_FOUND')
      const view: View = {
        fragment,
        is_pinned: pinned === undefined ? (old?.is_pinned ?? false) : pinned === true,
        name: name ?? old?.name ?? null,
      }
      views.set(fragment, view)
      tell('update', { fragment, data: { is_pinned: view.is_pinned, name: view.name } })
      return {}
    },
    removeNavigationView({ path }: Call) {
      const fragment = path['fragment'] ?? ''
      if (!views.delete(fragment)) throw noView('BAD_REQUEST')
      tell('remove', { fragment })
      return {}
    },
  } satisfies Partial<Handlers>
}

/** The document names NOT_FOUND for a change and BAD_REQUEST for the removal. */
function noView(code: string): Refusal {
  return new Refusal('Navigation view does not exist.', { status: 404, code })
}
