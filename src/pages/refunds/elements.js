/** An element with attributes, listeners (`onclick`) and what is in it. Text stays text: nothing here is ever markup. */
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

/** A field with its label, both above one another. */
export const field = (label, attributes) => [
  el('label', { for: attributes.id }, label),
  el('input', { required: true, ...attributes }),
]

/** What is wrong, where it can be heard and beside the field that it is about. */
export const fault = (text, id) => el('p', { class: 'fault', role: 'alert', id }, text)

/** The fault of a form in the place of the one before, with the cursor where it can be mended. */
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

/** Runs while nobody can press it again. */
export const busy = async (element, work) => {
  element.disabled = true
  try {
    return await work()
  } finally {
    element.disabled = false
  }
}

/** Told to whoever does not look, or looks elsewhere. */
export const say = text => {
  document.getElementById('says').textContent = text
}

/** For everybody, above everything, until it is over. */
export const warn = text => {
  document.getElementById('warns').textContent = text
}

export const fact = (name, ...value) => el('div', {}, el('dt', {}, name), el('dd', {}, ...value))

/** Puts a text where it can be pasted from, and says so on itself. */
export const copyButton = (what, text) => {
  const label = `Copy ${what}`
  const made = button(label, async () => {
    try {
      await navigator.clipboard.writeText(text)
      made.textContent = 'Copied'
      say(`Copied ${what}`)
    } catch {
      made.textContent = 'Select it and copy it by hand'
    }
    setTimeout(() => {
      made.textContent = label
    }, 3_000)
  })
  made.className = 'small'
  return made
}
