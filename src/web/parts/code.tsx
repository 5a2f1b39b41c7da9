/** A block of code. It can be scrolled with the keyboard. */
export const CodeBlock = ({ text, label }: { readonly text: string; readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as part of a form
  <pre class="code" tabIndex={0} role="group" aria-label={label}>
    <code>{text}</code>
  </pre>
)
