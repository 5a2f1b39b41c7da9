/** Saves a text as a file of this computer. */
export const saveFile = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has the content as soon as the download has begun.
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
