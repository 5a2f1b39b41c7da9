import { Dialog } from '../../parts/dialog.tsx'
import { singleKeys } from '../../parts/shortcut.ts'
import type { Preferences } from '../shell/preferences.ts'
import { useFindTexts } from './texts.ts'

type KeysHelpProps = { readonly preferences: Preferences; readonly onClose: () => void }

/** The shortcuts of the dashboard, and the switch for those of a single key. */
export const KeysHelp = ({ preferences, onClose }: KeysHelpProps) => {
  const texts = useFindTexts()
  const { keys } = texts
  const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['Ctrl', 'K'], keys.find],
    [['/'], keys.search],
    [['j'], keys.next],
    [['k'], keys.previous],
    [['↵'], keys.open],
    [['.'], keys.fresh],
    [['Esc'], keys.close],
    [['?'], keys.help],
  ]
  return (
    <Dialog open title={texts.keysTitle} onClose={onClose}>
      <dl class="shortcuts">
        {shortcuts.map(([pressed, what]) => (
          <div key={what}>
            <dt>
              {pressed.map(key => (
                <kbd key={key} class="key">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onInput={event => preferences.setSingleKeys(event.currentTarget.checked)}
        />
        <span>
          {texts.single}
          <span>{texts.singleHint}</span>
        </span>
      </label>
    </Dialog>
  )
}
