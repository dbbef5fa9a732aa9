import { useEffect, useState } from 'preact/hooks'
import { call } from '../bridge.ts'
import { Button } from './button.tsx'

interface Props {
  readonly text: string
  readonly label?: string
}

/** Copies through main (the page itself has no clipboard) and says so for two seconds. */
export function CopyButton({ text, label = 'Copy' }: Props) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button
      kind="quiet"
      icon={copied ? 'done' : 'copy'}
      onClick={() => void call.copyText({ text }).then(({ ok }) => setCopied(ok))}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}
