/**
 * The slug that the service makes of a name (Django's `slugify`), and that most checks have: then it is
 * not kept beside the name. Of names with accents, or with hyphens at their ends, it makes others.
 */
export function slugOfName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\w\s-]+/g, '')
    .replace(/[\s-]+/g, '-')
}
