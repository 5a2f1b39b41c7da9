/** Creates an element with attributes, listeners (`onclick`) and content. Strings are added as text, never as markup. */
export const el = (name, attributes = {}, ...content) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (value !== undefined && value !== null && value !== false)
      element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...content.flat().filter(part => part !== undefined && part !== null && part !== false))
  return element
}

export const button = (label, onclick, attributes = {}) =>
  el('button', { type: 'button', ...attributes, onclick }, label)

/** An input with its label above it. */
export const field = (label, attributes) => [
  el('label', { for: attributes.id }, label),
  el('input', { required: true, ...attributes }),
]

/** An error message that screen readers announce. */
export const fault = (text, id) => el('p', { class: 'fault', role: 'alert', id }, text)

/** Shows an error of a form, replaces the previous one, and focuses the field. */
export const showFault = (form, text, input) => {
  form.querySelector('.fault')?.remove()
  for (const each of form.elements) {
    each.removeAttribute('aria-invalid')
    each.removeAttribute('aria-describedby')
  }
  form.prepend(fault(text, 'fault'))
  if (!input) return
  input.setAttribute('aria-invalid', 'true')
  input.setAttribute('aria-describedby', 'fault')
  input.focus()
}

/** Disables the element while `work` runs. */
export const busy = async (element, work) => {
  element.disabled = true
  try {
    return await work()
  } finally {
    element.disabled = false
  }
}

/** Announces a text to screen readers. */
export const say = text => {
  document.getElementById('says').textContent = text
}

/** Shows a warning at the top of the page. An empty text removes it. */
export const warn = text => {
  document.getElementById('warns').textContent = text
}

export const fact = (name, ...value) => el('div', {}, el('dt', {}, name), el('dd', {}, ...value))

/** A button that copies a text to the clipboard and confirms it in its label. */
export const copyButton = (what, text) => {
  const label = `Copy ${what}`
  const made = button(label, async () => {
    try {
      await navigator.clipboard.writeText(text)
      made.textContent = 'Copied'
      say(`Copied ${what}`)
    } catch {
      made.textContent = 'Select and copy it manually'
    }
    setTimeout(() => {
      made.textContent = label
    }, 3_000)
  })
  made.className = 'small'
  return made
}
