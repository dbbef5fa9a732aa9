export type FollowRealm = typeof import('../chat/realm-session.ts').followRealm

let loaded: FollowRealm | null = null

/** With all that only chat accounts need, a third of main: read with the first of them. */
export async function loadRealm(): Promise<FollowRealm> {
  loaded ??= (await import('../chat/realm-session.ts')).followRealm
  return loaded
}
