import { Field, LongField } from '../parts/field.tsx'
import type { DraftProps } from './draft-fields.ts'

/** What the check is called and about. */
export function BasicFields({ draft, errors, onChange }: DraftProps) {
  return (
    <>
      <Field
        label="Name"
        name="name"
        placeholder="db-backup"
        value={draft.name}
        error={errors.name ?? null}
        onInput={(name) => onChange({ name })}
      />
      <div class="field-pair">
        <Field
          label="Slug"
          name="slug"
          value={draft.slug}
          error={errors.slug ?? null}
          help="For addresses with a ping key: a-z, 0-9, - and _."
          onInput={(slug) => onChange({ slug })}
        />
        <Field
          label="Tags"
          name="tags"
          placeholder="prod db"
          value={draft.tags}
          error={errors.tags ?? null}
          help="With spaces between."
          onInput={(tags) => onChange({ tags })}
        />
      </div>
      <LongField
        label="Description"
        name="desc"
        rows={2}
        placeholder="What to do when it is down"
        value={draft.description}
        error={errors.description ?? null}
        onInput={(description) => onChange({ description })}
      />
    </>
  )
}
