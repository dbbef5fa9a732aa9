/** The mark: a bell in the outline of a tower. */
export function Mark() {
  return (
    <svg
      class="mark"
      width="72"
      height="72"
      viewBox="0 0 72 72"
      fill="none"
      stroke="currentColor"
      stroke-width="3"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="M36 4v5M18 66V28L36 9l18 19v38M12 66h48M15 28h42" class="mark-tower" />
      <path
        d="M36 36c-5.4 0-8.6 3.8-8.6 9.4v5.4L25 55h22l-2.4-4.2v-5.4c0-5.6-3.2-9.4-8.6-9.4Z"
        fill="currentColor"
        stroke="none"
      />
      <circle cx="36" cy="58.4" r="2.9" fill="currentColor" stroke="none" />
      <path d="M36 32.5v3" />
    </svg>
  )
}
