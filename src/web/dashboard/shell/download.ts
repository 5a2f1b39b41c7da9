/** Saves a text or a picture as a file of this computer. */
export const saveFile = (name: string, type: string, content: string | Blob): void => {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has the content as soon as the download has begun.
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
