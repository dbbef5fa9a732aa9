import type { Answer, Expectation, RequestStep, Saved } from './case.ts'
import {
  agreement,
  aQueue,
  bad,
  type ChatCase,
  get,
  holding,
  inner,
  isList,
  isNumber,
  isText,
  note,
  ok,
  poll,
  post,
  refused,
  rows,
  saving,
  send,
  someEvent,
  whoAmI,
} from './chat-parts.ts'
import { partOf } from './part-of.ts'

const part = (field: string, text: string) =>
  `--{prefix}\r\nContent-Disposition: form-data; name="${field}"; filename="{prefix} a[1].txt"\r\n` +
  `Content-Type: text/plain\r\n\r\n${text}\r\n`

function upload(parts: readonly string[], expect?: Expectation): RequestStep {
  const step = {
    method: 'POST',
    path: '/api/v1/user_uploads',
    headers: { 'content-type': 'multipart/form-data; boundary={prefix}' },
    raw: `${parts.join('')}--{prefix}--\r\n`,
  }
  return expect ? { ...step, expect } : step
}

const uploaded = saving(upload([part('file', 'ding')]), { url: 'url' })

const uploads: readonly ChatCase[] = [
  agreement('uploadFile', 'a file has an address, in two fields, and its name', [
    upload(
      [part('file', 'ding')],
      ok({ url: /^\/user_uploads\/.+\.txt$/, uri: /^\/user_uploads\//, filename: isText }),
    ),
  ]),
  agreement('uploadFile', 'the form field may have any name', [
    upload([part('whatever', 'ding')], ok({ url: isText })),
  ]),
  agreement('uploadFile', 'no file is refused', [upload([], bad)]),
  agreement('uploadFile', 'two files are refused', [
    upload([part('a', 'ding'), part('b', 'dong')], bad),
  ]),
  agreement('uploadFile', 'an uploaded file can be read with the key', [
    uploaded,
    { method: 'GET', path: '{url}', expect: { status: 200, body: { text: 'ding' } } },
  ]),
  agreement('getTemporaryFileUrl', 'a file can be read without a key for a minute', [
    uploaded,
    {
      method: 'GET',
      path: '/api/v1{url}',
      expect: ok({ url: /^\/user_uploads\/temporary\// }),
      save: { open: 'url' },
    },
    { method: 'GET', path: '{open}', key: 'none', expect: { status: 200 } },
  ]),
  agreement('getTemporaryFileUrl', 'after a minute, the address no longer works', [
    uploaded,
    { method: 'GET', path: '/api/v1{url}', save: { open: 'url' } },
    { passMs: 61_000 },
    { method: 'GET', path: '{open}', key: 'none', expect: { status: 400 } },
  ]),
  agreement('getTemporaryFileUrl', 'a missing file has no address', [
    { method: 'GET', path: '/api/v1/user_uploads/2/{prefix}/x.txt', expect: { status: 404 } },
  ]),
]

/** A single pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const picture: RequestStep = {
  method: 'POST',
  path: '/api/v1/user_uploads',
  headers: { 'content-type': 'multipart/form-data; boundary=dot' },
  raw: Buffer.concat([
    Buffer.from(
      '--dot\r\nContent-Disposition: form-data; name="f"; filename="dot.png"\r\nContent-Type: image/png\r\n\r\n',
    ),
    png,
    Buffer.from('\r\n--dot--\r\n'),
  ]),
}
const thumbnail = /<img [^>]*src="(\/user_uploads\/thumbnail\/[^"]+)"/

const pictures: readonly ChatCase[] = [
  agreement('uploadFile', 'an uploaded picture has a thumbnail in the message that links to it', [
    whoAmI,
    saving(picture, { url: 'url' }),
    saving(note('{prefix} [dot.png]({url})'), { note: 'id' }),
    {
      ...get('/messages/{note}', {}, ok({ message: { content: thumbnail } })),
      save: {
        small: ({ json }) => thumbnail.exec(String(partOf(json, 'message', 'content')))?.[1] ?? '',
      },
      // A real server creates it with a delay, and shows a spinner until then.
      eventually: true,
    },
    {
      method: 'GET',
      path: '{small}',
      expect: { status: 200, headers: { 'content-type': /^image\// } },
    },
    { method: 'GET', path: '{small}', key: 'wrong', expect: { status: 401 } },
  ]),
]

const ringing: RequestStep = {
  ...picture,
  raw:
    '--dot\r\nContent-Disposition: form-data; name="f"; filename="ring.mp3"\r\n' +
    'Content-Type: audio/mpeg\r\n\r\nding\r\n--dot--\r\n',
}

/** How a link to an uploaded file is drawn, by level. */
const media = (
  [
    ['an image in Markdown is a link', { before: '437' }, '![a]({url})', /^<p>!<a [^>]*>a<\/a>/],
    [
      'an image in Markdown is a picture without text',
      { since: '437' },
      '![a]({url})',
      /^<p><img [^>]*><\/p>$/,
    ],
    [
      'a link to a recording is a link',
      { before: '405' },
      '[a]({url})',
      /^<p><a [^>]*>a<\/a><\/p>$/,
    ],
    [
      'a lone link to a recording is a player without text',
      { since: '405' },
      '[a]({url})',
      /^<p><audio [^>]*><\/audio><\/p>$/,
    ],
  ] as const
).map(([name, levels, content, html]) =>
  agreement(
    'renderMessage',
    name,
    [
      saving(content.startsWith('!') ? picture : ringing, { url: 'url' }),
      post(
        '/messages/render',
        { content },
        holding('it is drawn so', (body) => html.test(String(body['rendered']))),
      ),
    ],
    levels,
  ),
)

const tus = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const begin = (headers: Readonly<Record<string, string>>, expect?: Expectation): RequestStep => {
  const metadata = `filename ${base64('bell.txt')},filetype ${base64('text/plain')}`
  const step = {
    method: 'POST',
    path: '/api/v1/tus/',
    headers: { ...tus, 'upload-metadata': metadata, ...headers },
  }
  return expect ? { ...step, expect } : step
}
const begun: RequestStep = {
  ...begin({ 'upload-length': '8' }, { status: 201, headers: { location: /tus/ } }),
  save: { where: ({ headers }: Answer) => headers['location'] ?? '' },
}
const append = (offset: number, raw: string, expect: Expectation): RequestStep => ({
  method: 'PATCH',
  path: '{where}',
  headers: {
    ...tus,
    'upload-offset': String(offset),
    'content-type': 'application/offset+octet-stream',
  },
  raw,
  expect,
})
const told = { status: 204, headers: { 'upload-offset': '4' } }
const daemon = { like: { message: isText } }

const resumable: readonly ChatCase[] = (
  [
    agreement('resumableUpload', 'parts become a file, whose address comes without an envelope', [
      begun,
      append(0, 'ding', told),
      append(4, 'dong', {
        status: 200,
        body: {
          like: {
            url: /^\/user_uploads\//,
            filename: 'bell.txt',
            result: (value: unknown) => value === undefined,
          },
        },
      }),
    ]),
    agreement('resumableUpload', 'the offset can be queried', [
      begun,
      append(0, 'ding', told),
      {
        method: 'HEAD',
        path: '{where}',
        headers: tus,
        expect: { status: 200, headers: { 'upload-offset': '4', 'upload-length': '8' } },
      },
    ]),
    agreement('resumableUpload', 'a part at another offset is a conflict', [
      begun,
      append(2, 'ding', { status: 409 }),
    ]),
    agreement('resumableUpload', 'an unfinished upload can be cancelled', [
      begun,
      { method: 'DELETE', path: '{where}', headers: tus, expect: { status: 204 } },
      { method: 'HEAD', path: '{where}', headers: tus, expect: { status: 404 } },
    ]),
    agreement('resumableUpload', 'a length that is deferred is refused', [
      begin({ 'upload-defer-length': '1' }, { status: 411, body: daemon }),
    ]),
    agreement('resumableUpload', 'a file that is too large is refused before it is sent', [
      begin({ 'upload-length': '999999999999999' }, { status: 413, body: daemon }),
    ]),
    agreement('resumableUpload', 'another version of the protocol is refused', [
      begin({ 'upload-length': '8', 'tus-resumable': '0.2.0' }, { status: 412 }),
    ]),
    agreement('resumableUpload', 'without a key, nothing is started', [
      { ...begin({ 'upload-length': '8' }, { status: 401, body: daemon }), key: 'none' },
    ]),
  ] satisfies readonly ChatCase[]
).map((one) => ({ ...one, needs: 'uploads' }))

type Row = Readonly<Record<string, unknown>>

/** `holds` must be true of the uploaded file among the attachments. */
function file(what: string, holds: (row: Row, saved: Saved) => boolean): RequestStep {
  const expect = holding(what, (body, saved) =>
    rows(body, 'attachments').some((row) => isAt(row, saved['url']) && holds(row, saved)),
  )
  return { ...get('/attachments', {}, expect), eventually: true }
}

function yearOf(time: unknown, unitMs: number): number {
  return new Date(Number(time) * unitMs).getFullYear()
}

const linking = [whoAmI, saving(note('{prefix} [bell]({url})'), { note: 'id' })]

const attachments: readonly ChatCase[] = [
  agreement('listAttachments', 'attachments are listed with the space they use', [
    get('/attachments', {}, ok({ attachments: isList, upload_space_used: isNumber })),
  ]),
  agreement(
    'listAttachments',
    'their times are in milliseconds',
    [uploaded, file('the year is not that of 1970', (row) => yearOf(row['create_time'], 1) > 2000)],
    { before: '443' },
  ),
  agreement(
    'listAttachments',
    'their times are in seconds',
    [uploaded, file('it is this century', (row) => yearOf(row['create_time'], 1_000) < 2100)],
    { since: '443' },
  ),
  agreement(
    'listAttachments',
    'they have the messages that link to them',
    [
      uploaded,
      file('none yet', (row) => rows(row, 'messages').length === 0),
      ...linking,
      file('one', (row, { note: id }) =>
        rows(row, 'messages').every((message) => String(message['id']) === id),
      ),
    ],
    { before: '472' },
  ),
  agreement(
    'listAttachments',
    'they have the ids of the messages that link to them',
    [
      uploaded,
      file('none yet', (row) => String(row['message_ids']) === ''),
      ...linking,
      file('one', (row, { note: id }) => String(row['message_ids']) === id),
    ],
    { since: '472' },
  ),
  agreement('deleteAttachment', 'an attachment can be deleted once', [
    uploaded,
    { ...get('/attachments'), save: { file: attachmentId } },
    aQueue({ event_types: ['attachment'] }),
    send('DELETE', '/attachments/{file}', {}, ok()),
    poll(someEvent('attachment', ({ op }) => op === 'remove')),
    send('DELETE', '/attachments/{file}', {}, bad),
    { method: 'GET', path: '{url}', expect: { status: 404 } },
  ]),
  agreement('deleteAttachment', 'a missing attachment is refused', [
    send('DELETE', '/attachments/999999999', {}, refused('BAD_REQUEST')),
  ]),
  agreement(null, 'an uploaded file needs the key; without one, the login page is shown', [
    uploaded,
    { method: 'GET', path: '{url}', key: 'wrong', expect: { status: 401 } },
    {
      method: 'GET',
      path: '{url}',
      key: 'none',
      expect: { status: 302, headers: { location: /login/ } },
    },
  ]),
  agreement(null, 'an avatar is public', [
    saving(get('/users/me'), { picture: 'avatar_url' }),
    { method: 'GET', path: '{picture}', key: 'none', expect: { status: 200 } },
  ]),
]

function isAt(row: Readonly<Record<string, unknown>>, url: string | undefined): boolean {
  return url === `/user_uploads/${String(row['path_id'])}`
}

function attachmentId({ json }: Answer, { url }: Saved): string {
  return String(rows(inner(json), 'attachments').find((row) => isAt(row, url))?.['id'])
}

export const fileCases: readonly ChatCase[] = [
  ...uploads,
  ...pictures,
  ...media,
  ...resumable,
  ...attachments,
]
