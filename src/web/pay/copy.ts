/** The answer stands in the button for this long. */
const SHOWN_MS = 2_000

/** A button with `data-copy` copies its value and answers in its own place, so that nothing on the page is covered. */
export const listenForCopying = (texts: Readonly<Record<string, string>>): void => {
  document.addEventListener('click', event => {
    const button = event.target instanceof Element && event.target.closest<HTMLElement>('[data-copy]')
    if (button) void copyFrom(button, texts)
  })
}

const copyFrom = async (button: HTMLElement, texts: Readonly<Record<string, string>>): Promise<void> => {
  const done = await copy(button.dataset.copy ?? '')
  const label = button.querySelector<HTMLElement>(':scope > span')
  if (!label || button.dataset.copied !== undefined) return
  const before = [...label.childNodes]
  button.dataset.copied = done ? 'yes' : 'no'
  // Read aloud where the focus is.
  label.setAttribute('role', 'status')
  label.replaceChildren((done ? texts.copied : texts.copyFailed) ?? '')
  setTimeout(() => {
    label.removeAttribute('role')
    label.replaceChildren(...before)
    delete button.dataset.copied
  }, SHOWN_MS)
}

const copy = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyOld(text)
  }
}

/** On pages without https, and in the browsers of some wallets. */
const copyOld = (text: string): boolean => {
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr'
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  return done
}
