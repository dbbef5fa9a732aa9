/** A way in which the monitoring service itself notifies (wire: `channel`). */
export interface Integration {
  readonly id: string
  /** May be empty: show `integrationName(integration)`. */
  readonly name: string
  /** "email", "slack", …: an open list. */
  readonly kind: string
}

export function integrationName(integration: Integration): string {
  return integration.name.trim() || integration.kind
}
