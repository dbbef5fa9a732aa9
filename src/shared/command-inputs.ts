import {
  type BaseIssue,
  type BaseSchema,
  boolean,
  integer,
  literal,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  trim,
  unknown,
  uuid,
  variant,
} from 'valibot'
import type { CommandName } from './contract.ts'
import { attentionSchema } from './core/attention/rules.ts'
import { scopeSchema, untilSchema } from './core/attention/silence.ts'
import { conversationSchema } from './core/chat/conversation.ts'
import { idSchema, numberId } from './core/schemas.ts'
import { settingsInput } from './core/settings.ts'
import { targetSchema } from './core/target.ts'

type Schema = BaseSchema<unknown, unknown, BaseIssue<unknown>>

const accountId = idSchema
const checkId = idSchema
const localId = idSchema
/** Longer than any server takes: the composer says so long before. */
const messageText = pipe(string(), maxLength(100_000))
const url = pipe(string(), trim(), minLength(1), maxLength(2_048))
/** Written by a stranger: main judges it as it is. */
const link = pipe(string(), minLength(1), maxLength(2_048))
/** The longest key of either service is 32 characters; the slack is for what people paste around it. */
const key = pipe(string(), trim(), minLength(1), maxLength(200))
const nothing = object({})

const place = { accountId, conversation: conversationSchema }

const newAccount = variant('kind', [
  object({
    kind: literal('monitoring'),
    label: pipe(string(), trim(), maxLength(100)),
    baseUrl: url,
    key,
    allowHttp: boolean(),
    authorityFileId: optional(localId),
  }),
  object({
    kind: literal('chat'),
    baseUrl: url,
    email: pipe(string(), trim(), minLength(3), maxLength(320)),
    key,
    allowHttp: boolean(),
    authorityFileId: optional(localId),
  }),
])

/** A reaction's has a message, a user and a check in it. */
const silenceId = pipe(string(), minLength(1), maxLength(200))
const silenceHow = picklist(['snooze', 'acknowledge', 'mute'])
const way = optional(picklist(['multipart', 'tus']))
const anyOperation = object({
  accountId,
  operation: pipe(string(), maxLength(100)),
  params: record(string(), unknown()),
})

/** The schema of each command's input: what the door in `desktop/ipc.ts` lets through. */
export const commandInputs = {
  tryAccount: newAccount,
  addAccount: newAccount,
  replaceKey: object({ accountId, key }),
  renameAccount: object({ accountId, label: pipe(string(), trim(), minLength(1), maxLength(100)) }),
  setAuthority: object({ accountId, fileId: nullable(localId) }),
  setImages: object({ accountId, images: boolean() }),
  loadImage: object({ accountId, path: url }),
  removeAccount: object({ accountId }),
  allowWeakStorage: object({ allowed: boolean() }),
  exploreDemo: nothing,
  leaveDemo: nothing,
  refresh: object({ accountId: nullable(accountId) }),
  run: anyOperation,
  previewRequest: anyOperation,
  checkDetails: object({ accountId, checkId }),
  pingCheck: object({
    accountId,
    checkId,
    signal: picklist(['success', 'start', 'fail', 'log', 'exitStatus']),
    exitStatus: nullable(pipe(number(), integer(), minValue(0), maxValue(255))),
    runId: nullable(pipe(string(), uuid('must be a UUID'))),
    body: messageText,
  }),
  copyPingAddress: object({ accountId, checkId, form: picklist(['url', 'curl', 'wget', 'cron']) }),
  loadConversation: object({ ...place, older: boolean() }),
  saveDraft: object({ ...place, text: messageText }),
  sendMessage: object({ ...place, text: messageText }),
  resendMessage: object({ localId }),
  discardMessage: object({ localId, keepText: boolean() }),
  markRead: object(place),
  setReaction: object({
    accountId,
    messageId: numberId,
    name: pipe(string(), maxLength(100)),
    code: pipe(string(), maxLength(100)),
    type: pipe(string(), maxLength(40)),
    present: boolean(),
  }),
  chooseFile: nothing,
  startUpload: object({ accountId, fileId: localId, place: nullable(conversationSchema), by: way }),
  cancelUpload: object({ id: localId }),
  history: object({
    accountId,
    subject: optional(pipe(string(), maxLength(1_000))),
    from: pipe(number(), integer()),
  }),
  saveReport: object({ accountId, checkId, text: messageText }),
  postReport: object({
    accountId,
    checkId,
    place: object(place),
    text: messageText,
    anyway: boolean(),
  }),
  joinReport: object({ accountId, checkId, place: object(place), messageId: numberId }),
  updateSettings: settingsInput,
  silence: object({
    how: silenceHow,
    scope: scopeSchema,
    until: untilSchema,
    tellOthers: optional(boolean()),
  }),
  endSilence: object({ id: silenceId }),
  restoreSilence: object({ id: silenceId }),
  tryAttention: object({ attention: attentionSchema }),
  clearNotices: nothing,
  testNotification: nothing,
  dismissTrouble: object({ id: pipe(string(), maxLength(64)) }),
  openLink: object({ url: link }),
  openWeb: object({ target: targetSchema }),
  copyText: object({ text: messageText }),
  hideWindow: nothing,
  showing: object({
    view: nullable(pipe(string(), maxLength(40))),
    place: optional(targetSchema),
    holdsInput: optional(boolean()),
  }),
} satisfies Record<CommandName, Schema>
