/** The first module of the dashboard. It is small, so that the session is asked for while the application is loaded and parsed. */
import './started.ts'
