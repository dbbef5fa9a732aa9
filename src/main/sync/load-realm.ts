export type FollowRealm = typeof import('./realm-link.ts').followRealm

let loaded: FollowRealm | null = null

/** With all that only chat accounts need, a third of main: read with the first of them. */
export async function loadRealm(): Promise<FollowRealm> {
  loaded ??= (await import('./realm-link.ts')).followRealm
  return loaded
}
