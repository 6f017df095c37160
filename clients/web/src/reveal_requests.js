let requests = 0;

/**
 * Numbers the requests to show something (E-10): each new one is greater than all before it on this page, whoever asks.
 *
 * @returns {number}
 */
export function nextRequest() {
  return (requests += 1);
}
