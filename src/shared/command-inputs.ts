import * as v from 'valibot'
import { wholeReadMinutes } from './core/account.ts'
import { dependsSchema } from './core/attention/dependencies/dependency.ts'
import { eventKinds } from './core/attention/event.ts'
import { planSchema } from './core/attention/maintenance/planned.ts'
import { attentionSchema } from './core/attention/rules.ts'
import {
  checksLimit,
  reasonSchema,
  scopeSchema,
  silenceLimit,
  silenceSchema,
  untilSchema,
} from './core/attention/silence.ts'
import { conversationSchema } from './core/chat/conversation.ts'
import type { UnsavedForm } from './core/chat/unsaved-forms.ts'
import { pingForms } from './core/checks/ping.ts'
import { type Immutable, idSchema, numberId } from './core/schemas.ts'
import { type SettingsChange, settingsInput } from './core/settings.ts'
import { targetSchema } from './core/target.ts'

type Schema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>

const accountId = idSchema
const checkId = idSchema
const localId = idSchema
const eventKind = v.picklist(eventKinds)
/** More than any server accepts: the composer enforces the server's own limit. */
const messageText = v.pipe(v.string(), v.maxLength(100_000))
const url = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(2_048))
/** Comes from other people's messages, so it isn't trimmed: main checks it exactly as written. */
const link = v.pipe(v.string(), v.minLength(1), v.maxLength(2_048))
/** Keys of both services have at most 32 characters; the slack is for what gets pasted with one. */
const key = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200))
const nothing = v.object({})
const emojiText = v.pipe(v.string(), v.maxLength(100))
/** Epoch ms. */
const moment = v.pipe(v.number(), v.integer(), v.maxValue(8.64e15))

const place = { accountId, conversation: conversationSchema }

const access = {
  baseUrl: url,
  key,
  /** The user agreed to send the key over plain http to this server. */
  allowHttp: v.boolean(),
  /** A file with the CA certificate of a server whose authority the system does not trust. */
  authorityFileId: v.optional(localId),
  /** The account that this key is to be used for from now on; null: a new one, though one is alike. */
  instead: v.optional(v.nullable(accountId)),
}
const newAccount = v.variant('kind', [
  v.object({
    ...access,
    kind: v.literal('monitoring'),
    label: v.pipe(v.string(), v.trim(), v.maxLength(100)),
  }),
  v.object({
    ...access,
    kind: v.literal('chat'),
    email: v.pipe(v.string(), v.trim(), v.minLength(3), v.maxLength(320)),
  }),
])

/** Longer than other ids: it may contain those of a message, a user, an account and a check. */
const silenceId = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const silenceIds = v.object({
  ids: v.pipe(v.array(silenceId), v.minLength(1), v.maxLength(silenceLimit)),
})
const anyOperation = v.object({
  accountId,
  operation: v.pipe(v.string(), v.maxLength(100)),
  params: v.record(v.string(), v.unknown()),
})

/** The schema of each command's input, enforced in `desktop/window/ipc.ts`. */
export const commandInputs = {
  tryAccount: newAccount,
  addAccount: newAccount,
  replaceKey: v.object({ accountId, key }),
  renameAccount: v.object({
    accountId,
    label: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100)),
  }),
  setAuthority: v.object({ accountId, fileId: v.nullable(localId) }),
  setImages: v.object({ accountId, images: v.boolean() }),
  setWholeReads: v.object({ accountId, minutes: v.nullable(wholeReadMinutes) }),
  emojiNames: v.object({ accountId }),
  loadImage: v.object({ accountId, path: url }),
  removeAccount: v.object({ accountId }),
  allowWeakStorage: v.object({ allowed: v.boolean() }),
  exploreDemo: nothing,
  leaveDemo: nothing,
  refresh: v.object({ accountId: v.nullable(accountId) }),
  changeWait: v.object({ accountId }),
  /** `glance`: reads something of a check that is only selected, on a share of the budget. */
  run: v.object({ ...anyOperation.entries, glance: v.optional(v.boolean()) }),
  previewRequest: anyOperation,
  /** `fresh`: asks the service instead of returning its last answer. */
  checkDetails: v.object({ accountId, checkId, fresh: v.optional(v.boolean()) }),
  /** `fields`: the parameters of the `createCheck` operation. */
  createCheck: v.object({ accountId, fields: v.record(v.string(), v.unknown()) }),
  loadBadge: v.object({ accountId, url }),
  pingCheck: v.object({
    accountId,
    checkId,
    signal: v.picklist(['success', 'start', 'fail', 'log', 'exitStatus']),
    exitStatus: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255))),
    runId: v.nullable(v.pipe(v.string(), v.uuid('must be a UUID'))),
    body: messageText,
  }),
  copyPingAddress: v.object({
    accountId,
    checkId,
    form: v.picklist(pingForms),
  }),
  /** `glance`: of a conversation that is only selected, as for `run`. */
  loadConversation: v.object({
    ...place,
    older: v.boolean(),
    glance: v.optional(v.boolean()),
  }),
  loadGap: v.object({ ...place, from: v.picklist(['after', 'before']) }),
  /** `conversation`: where it is expected; null if nothing tells. */
  showMessage: v.object({
    accountId,
    conversation: v.nullable(conversationSchema),
    messageId: numberId,
  }),
  searchMessages: v.object({
    accountId,
    terms: v.pipe(
      v.array(
        v.object({
          operator: v.pipe(v.string(), v.maxLength(20)),
          operand: v.union([
            v.pipe(v.string(), v.maxLength(1_000)),
            numberId,
            v.pipe(v.array(numberId), v.maxLength(1_000)),
          ]),
          negated: v.boolean(),
        }),
      ),
      v.maxLength(50),
    ),
    near: v.nullable(numberId),
    /** Only messages before this one. */
    before: v.nullable(numberId),
  }),
  /** `over`: the text of the field before the edit, as main had it. */
  saveDraft: v.object({
    ...place,
    text: messageText,
    over: v.optional(messageText),
    /** Restores deleted text, above anything typed since. */
    isBack: v.optional(v.boolean()),
  }),
  /** Moves a draft from the server into its conversation, or into `to` if it has none. */
  takeDraft: v.object({ accountId, id: numberId, to: v.optional(conversationSchema) }),
  scheduleMessage: v.object({ ...place, text: messageText, at: moment }),
  saveForm: v.object({
    accountId,
    form: v.custom<UnsavedForm>(
      (form) =>
        typeof form === 'string' &&
        /^((message|scheduled)\/\d{1,16}|snippet\/(\d{1,16}|new))$/.test(form),
    ),
    text: messageText,
  }),
  cancelScheduled: v.object({
    accountId,
    id: numberId,
    text: v.optional(messageText),
    send: v.optional(v.boolean()),
  }),
  forgetScheduling: v.object({ id: localId }),
  setStatus: v.object({
    accountId,
    text: v.pipe(v.string(), v.maxLength(60)),
    emoji: v.nullable(
      v.object({ name: emojiText, code: emojiText, type: v.exactOptional(emojiText) }),
    ),
    until: v.nullable(moment),
  }),
  sendMessage: v.object({ ...place, text: messageText }),
  resendMessage: v.object({ localId }),
  discardMessage: v.object({ localId, keepText: v.boolean() }),
  /** `here`: by this Belfry, even if the server could. */
  remindOf: v.object({ ...place, messageId: numberId, at: moment, here: v.optional(v.boolean()) }),
  forgetReminder: v.object({ id: localId }),
  /** `upTo`: only messages up to this id. */
  markRead: v.object({ ...place, upTo: v.optional(numberId) }),
  setReaction: v.object({
    accountId,
    messageId: numberId,
    name: v.pipe(v.string(), v.maxLength(100)),
    code: v.pipe(v.string(), v.maxLength(100)),
    type: v.pipe(v.string(), v.maxLength(40)),
    present: v.boolean(),
  }),
  chooseFile: nothing,
  chooseFiles: nothing,
  /** One chunk of a pasted or dropped file; `fileId` is null for the first. */
  putFile: v.object({
    fileId: v.nullable(localId),
    name: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
    bytes: v.instance(Uint8Array),
  }),
  thumbnail: v.object({ fileId: localId }),
  startUpload: v.object({
    accountId,
    fileId: localId,
    place: v.nullable(conversationSchema),
    /** Default: chosen by size. */
    by: v.optional(v.picklist(['multipart', 'tus'])),
  }),
  retryUpload: v.object({ id: localId }),
  cancelUpload: v.object({ id: localId }),
  history: v.object({
    accountId,
    /** As in `Notice.subject`. */
    subject: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
    /** All, if absent. */
    kinds: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(20))), v.maxLength(20))),
    /** Epoch ms. */
    from: v.pipe(v.number(), v.integer()),
  }),
  /** `from`: epoch ms. `words`: a filter; the flips of checks that match are to be read first. */
  outages: v.object({ from: moment, words: v.pipe(v.string(), v.maxLength(200)) }),
  weeklyLook: nothing,
  saveReport: v.object({ accountId, checkId, text: messageText }),
  postReport: v.object({
    accountId,
    checkId,
    place: v.object(place),
    text: messageText,
    anyway: v.boolean(),
  }),
  joinReport: v.object({ accountId, checkId, place: v.object(place), messageId: numberId }),
  updateSettings: settingsInput,
  silence: v.object({
    how: silenceSchema.entries.how,
    scope: v.variant('of', [
      ...scopeSchema.options,
      v.object({
        of: v.literal('checks'),
        checks: v.pipe(
          v.array(v.object({ accountId, checkId })),
          v.minLength(1),
          v.maxLength(checksLimit),
        ),
      }),
    ]),
    until: untilSchema,
    /** Adds 👀 to the outage's chat message, which silences it in other people's Belfry too. */
    tellOthers: v.optional(v.boolean()),
    reason: silenceSchema.entries.reason,
  }),
  noteSilence: v.object({ id: silenceId, note: reasonSchema }),
  endSilence: silenceIds,
  restoreSilence: silenceIds,
  planMaintenance: planSchema,
  cancelPlanned: v.object({ id: silenceId }),
  addDependency: dependsSchema,
  removeDependency: v.object({ id: silenceId }),
  undoSilence: v.object({ id: silenceId }),
  tryAttention: v.object({ attention: attentionSchema }),
  clearNotices: nothing,
  restoreNotices: nothing,
  testNotification: v.object({ kind: v.optional(eventKind) }),
  chooseSound: v.object({ kind: eventKind }),
  useSystemSound: v.object({ kind: eventKind }),
  playsOwnSounds: nothing,
  chooseProgram: nothing,
  tryProgram: v.object({ id: localId }),
  forgetProgram: v.object({ id: localId }),
  diagnose: v.object({ thorough: v.boolean() }),
  saveDiagnostics: nothing,
  exportSettings: nothing,
  importSettings: nothing,
  dismissTrouble: v.object({ id: v.pipe(v.string(), v.maxLength(64)) }),
  openLink: v.object({ url: link }),
  whereLeads: v.object({ text: url }),
  openWeb: v.object({ target: targetSchema }),
  copyText: v.object({ text: messageText }),
  hideWindow: nothing,
  quit: nothing,
  startsAtLogin: nothing,
  setStartsAtLogin: v.object({ on: v.boolean() }),
  showing: v.object({
    view: v.nullable(v.pipe(v.string(), v.maxLength(40))),
    /** Where to reopen the window if its page crashes or is destroyed to free memory. */
    place: v.optional(targetSchema),
    /** The page holds input that exists nowhere else, so a hidden window must not be destroyed. */
    holdsInput: v.optional(v.boolean()),
  }),
} satisfies Record<string, Schema>

export type CommandName = keyof typeof commandInputs

/** A command's input after validation. */
export type CommandInput<Name extends CommandName> = Name extends 'updateSettings'
  ? SettingsChange
  : Immutable<v.InferOutput<(typeof commandInputs)[Name]>>
