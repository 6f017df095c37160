/** What a test cost, and not how long the machine had others to serve. */

/** @returns {() => number} gives the ms of this process's own work since now */
export function cpuTimer() {
  const began = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1_000;
  };
}
