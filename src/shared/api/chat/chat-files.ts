import { object, string } from 'valibot'
import { operation } from '../operation.ts'
import { answer, done, idField, items, lenient, nameField, nonEmpty, whole } from './chat-fields.ts'

/** Which file: the name that main gave to what the user chose. Its content never passes a window. */
const file = nameField('File', 'A file on this computer.', { picker: 'file' })

const uploaded = {
  /** Root-relative: `/user_uploads/…`. */
  url: nonEmpty,
  filename: lenient(string()),
}

export const fileOperations = {
  /** Below 25 MB; larger ones may not come through in one piece (chat API, "Limits"). */
  uploadFile: operation({
    service: 'chat',
    title: 'Upload a file',
    method: 'POST',
    path: '/api/v1/user_uploads',
    params: object({ file }),
    /** `uri` is the older name of `url`. */
    reply: answer({ ...uploaded, uri: lenient(string()) }),
    effect: 'write',
    sends: 'multipart',
    deadlineMs: 10 * 60_000,
  }),
  /** By tus 1.0, in parts: the last part's answer says where the file is. */
  resumableUpload: operation({
    service: 'chat',
    title: 'Resumable upload',
    method: 'POST',
    path: '/api/v1/tus',
    params: object({ file }),
    reply: answer(uploaded),
    effect: 'write',
    sends: 'tus',
    deadlineMs: 5 * 60_000,
  }),
  /** An address that opens without a key for 60 seconds. */
  getTemporaryFileUrl: operation({
    service: 'chat',
    title: 'Get a temporary address of a file',
    method: 'GET',
    path: '/api/v1/user_uploads/{realm_id}/{filename}',
    params: object({
      realm_id: idField('Realm', 'The number after /user_uploads/ in the file’s address.'),
      filename: nameField('File', 'The rest of its address.'),
    }),
    reply: answer({ url: nonEmpty }),
    effect: 'read',
  }),
  /** Times in it are epoch ms, unlike everywhere else in this API. */
  listAttachments: operation({
    service: 'chat',
    title: 'Get attachments',
    method: 'GET',
    path: '/api/v1/attachments',
    params: object({}),
    reply: answer({ attachments: items, upload_space_used: lenient(whole) }),
    effect: 'read',
  }),
  deleteAttachment: operation({
    service: 'chat',
    title: 'Delete an attachment',
    method: 'DELETE',
    path: '/api/v1/attachments/{attachment_id}',
    params: object({
      attachment_id: idField('Attachment', 'By its id; only your own.', { picker: 'attachment' }),
    }),
    reply: done,
    effect: 'destroy',
    destroys: 'the file {attachment_id}, also from all messages that link it',
  }),
}
