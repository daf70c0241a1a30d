"""The routes of the story platform, by what they are about."""

from . import bookmarks, chapters, notifications, stories, tree, users, votes

ROUTERS = (
    stories.router,
    chapters.router,
    tree.router,
    votes.router,
    users.router,
    bookmarks.router,
    notifications.router,
)
