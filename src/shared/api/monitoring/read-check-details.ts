import type { CheckDetails } from '../../core/checks/check.ts'
import { isPingAddress } from '../../core/checks/ping-address.ts'
import { readCheck, readUuid, readWire, type UniqueKeyOf, type WireCheck } from './read-check.ts'

/** One item of a list, or a single answer, with all that it says; null where it can't be read. */
export function readCheckDetails(item: unknown, uniqueKeyOf: UniqueKeyOf): CheckDetails | null {
  const wire = readWire(item)
  const check = wire === null ? null : readCheck(wire, uniqueKeyOf)
  if (wire === null || check === null) return null
  const uuid = readUuid(wire)
  return {
    ...check,
    uuid,
    slug: wire.slug,
    description: wire.desc,
    methods: wire.methods === 'POST' ? 'POST' : 'any',
    keywords: { start: wire.start_kw, success: wire.success_kw, failure: wire.failure_kw },
    filters: readFilters(wire),
    integrationIds: wire.channels?.split(',').filter((id) => id !== '') ?? null,
    pingUrl: readPingUrl(wire, uuid),
  }
}

/** On any host: hosted services have one of their own for pings. Anything but such an address is none. */
function readPingUrl({ ping_url: url }: WireCheck, uuid: string | null): string | null {
  const isUsable = typeof url === 'string' && uuid !== null && isPingAddress(url, uuid)
  return isUsable ? url : null
}

function readFilters(wire: WireCheck): CheckDetails['filters'] {
  const filters = {
    subject: wire.filter_subject,
    body: wire.filter_body,
    httpBody: wire.filter_http_body,
    defaultFail: wire.filter_default_fail,
  }
  return (['subject', 'body', 'httpBody', 'defaultFail'] as const).filter((one) => filters[one])
}
