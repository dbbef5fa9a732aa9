import { useEffect, useState } from 'preact/hooks'
import { call } from '../bridge.ts'
import { Button } from './button.tsx'

interface Props {
  readonly text: string
  readonly label?: string
}

/** Copies through main (the page itself has no clipboard) and says for two seconds whether it did. */
export function CopyButton({ text, label = 'Copy' }: Props) {
  const [came, setCame] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (came === null) return
    const timer = setTimeout(() => setCame(null), 2_000)
    return () => clearTimeout(timer)
  }, [came])
  return (
    <Button
      kind="quiet"
      icon={came === 'copied' ? 'done' : 'copy'}
      onClick={() =>
        void call.copyText({ text }).then(({ ok }) => setCame(ok ? 'copied' : 'failed'))
      }
    >
      {came === null ? label : came === 'copied' ? 'Copied' : 'Could not copy'}
    </Button>
  )
}
