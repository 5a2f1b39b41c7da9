import { useState } from 'preact/hooks'
import { Confirm } from '../shell/confirm.tsx'
import { useSecretsTexts } from './texts.ts'

type RotateDialogProps = {
  readonly open: boolean
  readonly title: string
  readonly what: string
  /** The name of the button that replaces the secret. */
  readonly yes: string
  readonly onClose: () => void
  /** Replaces the secret. The previous one is valid for this many more hours. */
  readonly onRotate: (overlapHours: number) => Promise<void>
}

const OVERLAP_HOURS = 24

/** Asks how long the previous secret stays valid after a new one is created. */
export const RotateDialog = ({ open, title, what, yes, onClose, onRotate }: RotateDialogProps) => {
  const texts = useSecretsTexts()
  const [hours, setHours] = useState(OVERLAP_HOURS)
  const choices = [
    [OVERLAP_HOURS, texts.rotateLater],
    [0, texts.rotateNow],
  ] as const
  return (
    <Confirm open={open} title={title} no={texts.cancel} yes={yes} onClose={onClose} onYes={() => onRotate(hours)}>
      <p>{what}</p>
      <fieldset>
        <legend class="legend">{texts.rotateWhen}</legend>
        {choices.map(([value, label]) => (
          <label key={value} class="check">
            <input type="radio" name="overlap" checked={value === hours} onInput={() => setHours(value)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
    </Confirm>
  )
}
